// The consent page of the service: a person allows what the address asks for, as the
// page of the web application does.
const { PERSON } = process.env;

/** Returns where the decision leads, or undefined for any other page. */
export async function consented(address) {
  const page = new URL(address);
  if (page.pathname !== "/connect-assistant") return undefined;
  const headers = { Authorization: `Bearer ${PERSON}`, "Content-Type": "application/json" };
  const me = await (await fetch(new URL("/api/me", page), { headers })).json();
  const body = JSON.stringify({ request: page.searchParams.get("request"), organization_id: me.organization.id, decision: "ALLOW" });
  const decided = await fetch(new URL("/oauth/consent", page), { method: "POST", headers, body });
  if (!decided.ok) throw new Error(`the consent ended with ${decided.status}: ${await decided.text()}`);
  return (await decided.json()).redirect_url;
}
