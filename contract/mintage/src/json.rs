//! JSON as the contract's methods take and give it. A general library for typed JSON brings 250 kB of code here, which
//! every call would pay for; this reader builds one small tree and the writer appends to a string.

use crate::codec::put_decimal;
use crate::error::{Failure, Outcome};
use std::borrow::Cow;

/// Arguments nest no deeper than this.
const DEPTH: u8 = 8;

/// A JSON value. Strings without escapes stay in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    /// The number's text, which is valid JSON.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Object<'a>),
}

/// The fields of an object in the order they came. Readers take them out, so that what is left is what nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object<'a> {
    fields: Vec<(Cow<'a, str>, Json<'a>)>,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes `byte` if it is next.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str, value: Json<'a>) -> Option<Json<'a>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += word.len();
        rest.starts_with(word.as_bytes()).then_some(value)
    }

    fn value(&mut self, depth: u8) -> Option<Json<'a>> {
        self.space();
        let value = match self.peek()? {
            b'n' => self.word("null", Json::Null)?,
            b't' => self.word("true", Json::Bool(true))?,
            b'f' => self.word("false", Json::Bool(false))?,
            b'"' => Json::Text(self.string()?),
            b'[' => Json::List(self.list(depth.checked_sub(1)?)?),
            b'{' => Json::Object(self.object(depth.checked_sub(1)?)?),
            _ => Json::Number(self.number()?),
        };
        self.space();
        Some(value)
    }

    fn list(&mut self, depth: u8) -> Option<Vec<Json<'a>>> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.eat(b']') {
            return Some(items);
        }
        loop {
            items.push(self.value(depth)?);
            if self.eat(b']') {
                return Some(items);
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn object(&mut self, depth: u8) -> Option<Object<'a>> {
        self.at += 1;
        let mut object = Object::default();
        self.space();
        if self.eat(b'}') {
            return Some(object);
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return None;
            }
            let name = self.string()?;
            self.space();
            if !self.eat(b':') {
                return None;
            }
            let value = self.value(depth)?;
            // A name that comes twice could be read as one thing here and as another elsewhere.
            if object.fields.iter().any(|field| field.0 == name) {
                return None;
            }
            object.fields.push((name, value));
            if self.eat(b'}') {
                return Some(object);
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    fn number(&mut self) -> Option<&'a str> {
        let from = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.text.get(from..self.at)
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.at += 1;
        let from = self.at;
        let mut own: Option<String> = None;
        let mut copied = from;
        loop {
            match self.peek()? {
                b'"' => {
                    let rest = self.text.get(copied..self.at)?;
                    self.at += 1;
                    return Some(match own {
                        None => Cow::Borrowed(rest),
                        Some(mut own) => {
                            own.push_str(rest);
                            Cow::Owned(own)
                        }
                    });
                }
                b'\\' => {
                    let own = own.get_or_insert_with(String::new);
                    own.push_str(self.text.get(copied..self.at)?);
                    self.at += 1;
                    own.push(self.escape()?);
                    copied = self.at;
                }
                0..=0x1f => return None,
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'"' | b'\\' | b'/' => kind as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit()?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first);
                }
                // Characters beyond the basic plane come as two halves.
                if !(self.eat(b'\\') && self.eat(b'u')) {
                    return None;
                }
                let second = self.unit()?.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
                return char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second);
            }
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let mut value = 0;
        for _ in 0..4 {
            value = value << 4 | char::from(self.peek()?).to_digit(16)?;
            self.at += 1;
        }
        Some(value)
    }
}

/// A type that an argument can have.
pub trait FromJson<'a>: Sized {
    /// What the argument has to be, for the failure's sentence.
    const WHAT: &'static str;
    fn from_json(json: Json<'a>) -> Option<Self>;
}

impl<'a> FromJson<'a> for bool {
    const WHAT: &'static str = "true or false";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for u64 {
    const WHAT: &'static str = "a whole number";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for u32 {
    const WHAT: &'static str = "a whole number up to 4294967295";
    fn from_json(json: Json<'a>) -> Option<Self> {
        u64::from_json(json)?.try_into().ok()
    }
}

/// An amount: a string of decimal digits, as NEAR writes numbers of 128 bits.
impl<'a> FromJson<'a> for u128 {
    const WHAT: &'static str = "a string of decimal digits";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Text(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for Cow<'a, str> {
    const WHAT: &'static str = "a string";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for String {
    const WHAT: &'static str = "a string";
    fn from_json(json: Json<'a>) -> Option<Self> {
        Cow::from_json(json).map(Cow::into_owned)
    }
}

impl<'a> FromJson<'a> for Object<'a> {
    const WHAT: &'static str = "an object";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl<'a> FromJson<'a> for Vec<Cow<'a, str>> {
    const WHAT: &'static str = "a list of strings";
    fn from_json(json: Json<'a>) -> Option<Self> {
        match json {
            Json::List(items) => items.into_iter().map(Cow::from_json).collect(),
            _ => None,
        }
    }
}

/// Numbers by name, such as royalties.
impl<'a> FromJson<'a> for Vec<(String, u64)> {
    const WHAT: &'static str = "an object of whole numbers";
    fn from_json(json: Json<'a>) -> Option<Self> {
        let fields = Object::from_json(json)?.fields;
        fields.into_iter().map(|(name, value)| Some((name.into_owned(), u64::from_json(value)?))).collect()
    }
}

impl<'a> Object<'a> {
    /// Reads a call's arguments; none at all are an empty object.
    pub fn parse(input: &'a [u8]) -> Outcome<Self> {
        if input.is_empty() {
            return Ok(Self::default());
        }
        let broken = || Failure::argument("The arguments are not a JSON object.");
        let text = std::str::from_utf8(input).map_err(|_| broken())?;
        let mut parser = Parser { text, at: 0 };
        match parser.value(DEPTH) {
            Some(Json::Object(object)) if parser.at == text.len() => Ok(object),
            _ => Err(broken()),
        }
    }

    fn take(&mut self, name: &str) -> Option<Json<'a>> {
        let at = self.fields.iter().position(|field| field.0 == name)?;
        Some(self.fields.swap_remove(at).1)
    }

    /// `None`: absent; `Some(None)`: null.
    pub fn field<T: FromJson<'a>>(&mut self, name: &str) -> Outcome<Option<Option<T>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Null) => Ok(Some(None)),
            Some(json) => match T::from_json(json) {
                Some(value) => Ok(Some(Some(value))),
                None => Err(Failure::argument([name, " has to be ", T::WHAT, "."].concat())),
            },
        }
    }

    /// A field that may be absent or null.
    pub fn optional<T: FromJson<'a>>(&mut self, name: &str) -> Outcome<Option<T>> {
        Ok(self.field(name)?.flatten())
    }

    /// A field that has to be there.
    pub fn required<T: FromJson<'a>>(&mut self, name: &str) -> Outcome<T> {
        self.optional(name)?.ok_or_else(|| Failure::argument([name, " is missing."].concat()))
    }

    /// Refuses fields that nobody took, so that a typing error never passes silently.
    pub fn finish(self) -> Outcome<()> {
        match self.fields.first() {
            None => Ok(()),
            Some(field) => Err(Failure::argument([&field.0, " is not a field of this call."].concat())),
        }
    }
}

/// Appends JSON to a string. Commas are put where they are missing, so a field or item is written without a look at
/// what stands before it.
#[derive(Default)]
pub struct Writer {
    out: String,
}

impl Writer {
    pub fn into_string(self) -> String {
        self.out
    }

    fn separate(&mut self) -> &mut String {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
        &mut self.out
    }

    pub fn open(&mut self, bracket: char) -> &mut Self {
        self.separate().push(bracket);
        self
    }

    pub fn close(&mut self, bracket: char) -> &mut Self {
        self.out.push(bracket);
        self
    }

    pub fn key(&mut self, name: &str) -> &mut Self {
        let out = self.separate();
        out.push('"');
        out.push_str(name);
        out.push_str("\":");
        self
    }

    /// A value that is JSON already, or a bare word.
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.separate().push_str(json);
        self
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { "true" } else { "false" })
    }

    pub fn number(&mut self, value: u64) -> &mut Self {
        put_decimal(self.separate(), value);
        self
    }

    /// An amount, as a string of digits.
    pub fn amount(&mut self, value: u128) -> &mut Self {
        let out = self.separate();
        out.push('"');
        put_amount(out, value);
        out.push('"');
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        let out = self.separate();
        out.push('"');
        let mut copied = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            out.push_str(&text[copied..at]);
            copied = at + 1;
            match byte {
                b'"' | b'\\' => {
                    out.push('\\');
                    out.push(byte as char);
                }
                _ => {
                    out.push_str("\\u00");
                    out.push_str(&crate::accounts::hex(&[byte]));
                }
            }
        }
        out.push_str(&text[copied..]);
        out.push('"');
        self
    }

    pub fn optional_text(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(text),
            None => self.raw("null"),
        }
    }

    pub fn optional_number(&mut self, value: Option<u64>) -> &mut Self {
        match value {
            Some(value) => self.number(value),
            None => self.raw("null"),
        }
    }
}

/// Appends an amount in decimal digits.
pub fn put_amount(out: &mut String, value: u128) {
    const PART: u128 = 10u128.pow(19);
    let (high, low) = (value / PART, (value % PART) as u64);
    if high == 0 {
        put_decimal(out, low);
        return;
    }
    put_amount(out, high);
    // The lower part keeps its leading zeros.
    let from = out.len();
    put_decimal(out, low);
    let zeros = 19 - (out.len() - from);
    for _ in 0..zeros {
        out.insert(from, '0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use near_sdk::serde_json::{self, Value};
    use proptest::prelude::*;

    fn to_value(json: &Json) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(digits) => serde_json::from_str(digits).unwrap(),
            Json::Text(text) => Value::String(text.to_string()),
            Json::List(items) => Value::Array(items.iter().map(to_value).collect()),
            Json::Object(object) => {
                Value::Object(object.fields.iter().map(|(name, value)| (name.to_string(), to_value(value))).collect())
            }
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ -~\\n\\t\\\\\"]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_json_writes_is_read(value in prop::collection::btree_map(any::<String>(), values(), 0..5), pretty: bool) {
            let value = Value::Object(value.into_iter().collect());
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let read = Object::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(to_value(&Json::Object(read)), value);
        }

        #[test]
        fn what_serde_json_refuses_is_refused(text in "[\\[\\]{}\",:0-9a-eE.+\\\\ntrufl -]{0,24}") {
            let text = ["{\"a\":", &text, "}"].concat();
            let theirs = serde_json::from_str::<Value>(&text).ok();
            match Object::parse(text.as_bytes()) {
                // Numbers out of serde_json's range are text here.
                Ok(ours) if theirs.is_some() => prop_assert_eq!(to_value(&Json::Object(ours)), theirs.unwrap()),
                Ok(_) => prop_assert!(text.contains(['e', 'E']), "{}", text),
                // A name that comes twice is refused here only.
                Err(_) => prop_assert!(theirs.is_none() || text.matches("\"a\"").count() > 1 || text.contains("\"\""), "{}", text),
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Object::parse(&bytes);
        }

        #[test]
        fn what_is_written_is_what_serde_json_reads(text in any::<String>(), number: u64, amount: u128, flag: bool) {
            let mut writer = Writer::default();
            writer.open('{').key("a").text(&text).key("b").open('[').number(number).bool(flag).raw("null").close(']');
            writer.key("c").amount(amount).key("d").open('{').close('}').close('}');
            let expected = serde_json::json!({"a": text, "b": [number, flag, null], "c": amount.to_string(), "d": {}});
            let written = writer.into_string();
            prop_assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), expected, "{}", written);
        }
    }

    #[test]
    fn fields_are_named_in_failures() {
        let mut args = Object::parse(br#"{"limit":"5","memo":null,"id":4294967296}"#).unwrap();
        let text = |failure: Failure| failure.text();
        assert_eq!(args.required::<u32>("limit").map_err(text), Err("E_INVALID_ARGUMENT: limit has to be a whole number up to 4294967295.".into()));
        assert_eq!(args.field::<String>("memo"), Ok(Some(None)));
        assert_eq!(args.required::<String>("msg").map_err(text), Err("E_INVALID_ARGUMENT: msg is missing.".into()));
        assert!(args.clone().required::<u32>("id").is_err());
        assert_eq!(args.finish().map_err(text), Err("E_INVALID_ARGUMENT: id is not a field of this call.".into()));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = ["{\"a\":", &"[".repeat(5_000), &"]".repeat(5_000), "}"].concat();
        assert!(Object::parse(deep.as_bytes()).is_err());
    }
}
