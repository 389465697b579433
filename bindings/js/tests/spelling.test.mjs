// Texts are spelt as in every other language: the cases are shared.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { spell } from "../src/spelling.js";

const CASES = new URL("../../../tests/cases/spelling.json", import.meta.url);

test("spelling is shared", { skip: !existsSync(CASES) }, () => {
  const cases = JSON.parse(readFileSync(CASES, "utf8"));
  assert.ok(cases.length > 40);
  for (const { rules, input, output } of cases)
    assert.equal(spell(input, rules), output, `${input} by ${rules}`);
  assert.equal(spell(" ＡＣＭＥ-corp."), "acme corp");
  assert.throws(() => spell("a", ["colour"]), /rules has "colour", not one of unicode, case/);
});
