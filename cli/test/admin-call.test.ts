import { describe, expect, test } from "vitest";
import { readCall, USAGE } from "../admin/call.ts";
import { COMMANDS } from "../admin/commands.ts";
import { UsageError } from "../command.ts";

describe("the arguments of npm run admin", () => {
  test("are read as a command of one or two words, its arguments and its options", () => {
    const call = readCall(["contract", "upgrade", "--all", "--dry-run", "--json"]);
    expect(call).toEqual({
      command: COMMANDS["contract upgrade"],
      words: [],
      options: { all: true, "dry-run": true },
      isJson: true,
    });
    expect(readCall(["operation", "o", "i"])).toMatchObject({ words: ["o", "i"], isJson: false });
    expect(readCall(["--help", "nonsense"])).toBeNull();
  });

  test.each([
    [["integration", "delete", "Shop", "--dry-run"], "not --dry-run"],
    [["contract", "hand-over", "c", "--to", "a.near", "--all"], "not --all"],
    [["secret", "rotate", "--name", "x"], "not --name"],
    [["wallet"], "This command takes: <integration>"],
    [["platform", "Shop"], "This command takes: no arguments"],
    [["constructor"], 'There is no command "constructor"'],
    [[], "npm run admin -- <command>"],
  ])("%j are refused before anything is sent", (args, said) => {
    expect(() => readCall(args)).toThrow(UsageError);
    expect(() => readCall(args)).toThrow(said);
  });

  test("may have each option that the command's line in the help shows, and the help shows every command", () => {
    for (const [name, { takes }] of Object.entries(COMMANDS)) {
      expect(USAGE).toContain(`  ${name} ${takes}`);
      const words = [...takes.replaceAll(/\[[^\]]*\]/g, "").matchAll(/<[a-z-]+>/g)].map(() => "word");
      for (const [, option = "", value] of takes.matchAll(/--([a-z-]+)( [A-Z]+| full\|read| yes\|no)?/g)) {
        const given = value === undefined ? [`--${option}`] : [`--${option}`, "text"];
        expect(readCall([...name.split(" "), ...words, ...given])?.options, name).toHaveProperty(option);
      }
    }
  });
});
