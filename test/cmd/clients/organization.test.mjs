// Whoever is in no organization gets a token all the same, and the API refuses
// it. Clients must be told so in words, once: a 401 would send the person to
// sign in again and again.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Person } from "./person.mjs";
import { connect, sdks } from "./sdks.mjs";

before(async () => {
  const left = await fetch(`${process.env.IDENTITY_URL}/v1/organizations/org_sandbox/memberships/user_ada`, {
    method: "DELETE", headers: { Authorization: "Bearer sk_test_sandbox" },
  });
  assert.equal(left.status, 200);
});

for (const [name, sdk] of Object.entries(sdks)) {
  test(name, async () => {
    const person = new Person();
    const client = await connect(sdk, person);
    for (let i = 0; i < 3; i++) {
      const result = await client.callTool({ name: "list_entities", arguments: {} });
      assert.ok(result.isError);
      assert.match(result.content[0].text, /organization_required/);
      assert.match(result.content[0].text, /consent page/);
    }
    await client.close();
    assert.equal(person.opened, 1);
  });
}
