/** The service's own rule for NEAR account ids (https://docs.near.org/protocol/account-id); a test compares the two. */
const SHAPE = /^(?:[a-z\d]+[-_])*[a-z\d]+(?:\.(?:[a-z\d]+[-_])*[a-z\d]+)*$/;

/** Whether a text is a NEAR account id, named or implicit. */
export const isAccountId = (text: string): boolean =>
  text.length >= 2 && text.length <= 64 && SHAPE.test(text);

/** What to do about a text that isn't one. */
export const ACCOUNT_ID_RULE =
  "give a NEAR account id: 2 to 64 lower-case letters and digits with single -, _ or . between them";
