"""Makes the excerpts of the vendors' definitions from their published packages.

    python3 adapter/sim/definition/make/excerpts.py

It needs pip, npm, mvn and go. Each excerpt names its packages and their licences. It
holds names and types only. What no package holds is in documented() of the
vendor, with the vendor's document.
"""

import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import readers
import stripe_go
from oauth import SCOPES, STANDARDS, endpoints, id_token

OUT = Path(__file__).resolve().parent.parent / "excerpts"
DRIVE, STRIPE = "google.golang.org/api@v0.297.0", "github.com/stripe/stripe-go/v79@v79.12.0"
XERO, CLERK, GRAPH = "xero-python==15.2.0", "clerk-backend-api==7.0.0", "msgraph-sdk==1.65.0"
INTUIT = "com.intuit.quickbooks-online:ipp-v3-java-data:6.4.2"
GOOGLE_AUTH, INTUIT_OAUTH, XERO_NODE, MSAL = "google-auth-library@10.5.0", "intuit-oauth@4.2.5", "xero-node@20.0.0", "msal==1.39.0"


def module(name):
    out = subprocess.run(["go", "mod", "download", "-json", name], check=True, capture_output=True, text=True, cwd="/")
    return Path(json.loads(out.stdout)["Dir"])


def package(name, into):
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", into, name], check=True)
    file = next(f for f in Path(into).iterdir() if f.name.replace("-", "_").startswith(name.split("==")[0].replace("-", "_")))
    to = Path(into) / ("unpacked " + name)
    if file.suffix == ".whl":
        zipfile.ZipFile(file).extractall(to)
        return to
    tarfile.open(file).extractall(to, filter="data")
    return next(to.iterdir())


def archive(name, into):
    subprocess.run(["mvn", "-q", "dependency:copy", f"-Dartifact={name}:jar:sources", f"-DoutputDirectory={into}"], check=True)
    to = Path(into) / "intuit"
    zipfile.ZipFile(next(Path(into).glob("ipp-v3-java-data-*-sources.jar"))).extractall(to)
    return to


def npm(name, into):
    to = Path(into) / ("unpacked " + name)
    to.mkdir(exist_ok=True)
    subprocess.run(["npm", "pack", "--silent", "--pack-destination", to, name], check=True, stdout=subprocess.DEVNULL)
    tarfile.open(next(to.glob("*.tgz"))).extractall(to, filter="data")
    return to / "package"


def stated(files, addresses):
    """Returns the origins by path. The files of packages must have each address."""
    texts, origins = "".join(f.read_text() for f in files), {}
    for path, address in addresses:
        if address not in texts:
            raise SystemExit(f"the package lacks {address}")
        origins.setdefault(path, []).append("/".join(address.split("/")[:3]))
    return origins


def missing(wanted, operations):
    """Stops if the package lacks an operation."""
    if lacking := set(wanted) - {name.replace("/api.xro/2.0", "").replace("/v1/", "/") for name in operations} - set(operations):
        raise SystemExit(f"the package lacks {sorted(lacking)}")


def paths(text):
    """Returns the operations of lines "METHODS path"."""
    return [f"{method} {path}" for line in text.strip().splitlines() for methods, path in [line.split()] for method in methods.split(",")]


def xero(into):
    root = package(XERO, into) / "xero_python"
    wanted = paths("""
        GET /Organisation
        GET /Accounts
        GET /TaxRates
        GET /Currencies
        GET,PUT,POST /Contacts
        GET,POST /Contacts/{ContactID}
        GET,PUT,POST /Invoices
        GET,POST /Invoices/{InvoiceID}
        GET,PUT,POST /CreditNotes
        GET,POST /CreditNotes/{CreditNoteID}
        PUT /CreditNotes/{CreditNoteID}/Allocations
        GET /Invoices/{InvoiceID}/Attachments
        GET /CreditNotes/{CreditNoteID}/Attachments
        PUT,POST /Invoices/{InvoiceID}/Attachments/{FileName}
        PUT,POST /CreditNotes/{CreditNoteID}/Attachments/{FileName}""")
    api = root / "accounting" / "api" / "accounting_api.py"
    operations, types = readers.generated_python(api, root / "accounting" / "models", "/api.xro/2.0", wanted)
    missing(wanted, operations)
    # https://developer.xero.com/documentation/api/accounting/invoices and /creditnotes: the JSON examples have the dates as texts as well
    for name in ("Invoice", "CreditNote"):
        types[name] |= {"DateString": "string", "DueDateString": "string"}
    # https://developer.xero.com/documentation/api/accounting/responsecodes: an element is the refused object with its messages
    states = {"HasErrors": "boolean", "HasValidationErrors": "boolean", "StatusAttributeString": "string", "ValidationErrors": ["#ValidationError"]}
    for name in ("Invoice", "CreditNote", "Contact"):
        types[name] |= states
    types["Error"]["Elements"] = [{"|": ["#Element", "#Invoice", "#CreditNote", "#Contact"]}]
    connections = paths("GET /Connections\nDELETE /Connections/{id}")
    more, connection = readers.generated_python(root / "identity" / "api" / "identity_api.py", root / "identity" / "models", "", connections)
    operations |= {name.replace("/Connections", "/connections"): o for name, o in more.items()}
    types |= connection
    for o in operations.values():  # a write accepts one object or the list of them
        if o["body"] and o["body"].endswith("s") and o["body"][1:-1] in types:
            o["body"] = {"|": [o["body"], o["body"][:-1]]}
    operations |= endpoints(
        authorize="/identity/connect/authorize", token="/connect/token", revoke="/connect/revocation",
        keys="/.well-known/openid-configuration/jwks", metadata=["/.well-known/openid-configuration"])
    clients = npm(XERO_NODE, into) / "dist"
    origins = stated([clients / "XeroClient.js", clients / "gen" / "api" / "accountingApi.js", root / "api_client" / "oauth2.py"], [
        ("*", "https://api.xero.com/api.xro/2.0"), ("/connect/token", "https://identity.xero.com/connect/token"),
        ("/connect/revocation", "https://identity.xero.com/connect/revocation")])
    for path in ("/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks"):
        origins[path] = origins["/connect/token"]
    # https://developer.xero.com/documentation/guides/oauth2/auth-flow and /scopes: accounting.transactions is of applications before March 2026
    origins["/identity/connect/authorize"] = ["https://login.xero.com"]
    scopes = SCOPES + ["accounting." + s for s in ["transactions", "transactions.read", "invoices", "invoices.read", "contacts", "contacts.read",
                                                   "settings", "settings.read", "attachments", "attachments.read"]]
    documented = {
        "origins": origins, "scopes": scopes,
        # https://developer.xero.com/documentation/guides/oauth2/token-types: the access token is a JWT
        "others": {"token": id_token(["xero_userid", "authentication_event_id", "global_session_id", "client_id", "jti"]) | {"scope": ["string"]}},
        # https://developer.xero.com/documentation/api/accounting/requests-and-responses
        "envelope": {"Id": "string", "Status": "string", "ProviderName": "string", "DateTimeUTC": "string", "pagination": "#Pagination",
                     "Warnings": ["#ValidationError"]},
        # https://developer.xero.com/documentation/api/accounting/responsecodes
        "errors": ["#Error", {f: "string" for f in ["Type", "Title", "Detail", "Instance"]} | {"Status": "number", "Extensions": {"*": "any"}}],
    }
    sources = [{"package": "pypi " + XERO, "licence": "MIT", "files": ["xero_python/accounting", "xero_python/identity", "xero_python/api_client/oauth2.py"]},
               {"package": "npm " + XERO_NODE, "licence": "MIT", "files": ["dist/XeroClient.js", "dist/gen/api/accountingApi.js"]}]
    return "xero", sources, operations, types, documented, lambda name: name not in ("HistoryRecord",)


def drive(into):
    root = module(DRIVE)
    wanted = ["drive.about.get", "drive.files.list", "drive.files.get", "drive.files.export", "drive.files.create", "drive.files.update",
              "drive.files.delete", "drive.files.watch", "drive.drives.list", "drive.drives.get", "drive.changes.getStartPageToken",
              "drive.changes.list", "drive.changes.watch", "drive.channels.stop"]
    document = root / "drive" / "v3" / "drive-api.json"
    operations, types = readers.discovery(document, "/drive/v3/", wanted)
    client = npm(GOOGLE_AUTH, into) / "build" / "src" / "auth" / "oauth2client.js"
    origins = stated([document, client], [
        ("*", "https://www.googleapis.com/"), ("/o/oauth2/v2/auth", "https://accounts.google.com/o/oauth2/v2/auth"),
        ("/token", "https://oauth2.googleapis.com/token"), ("/revoke", "https://oauth2.googleapis.com/revoke"),
        ("/oauth2/v3/certs", "https://www.googleapis.com/oauth2/v3/certs")])
    scopes = SCOPES + list(json.loads(document.read_text())["auth"]["oauth2"]["scopes"])
    operations |= endpoints(
        # https://developers.google.com/identity/protocols/oauth2/web-server
        authorize="/o/oauth2/v2/auth", asked=["access_type", "include_granted_scopes", "hd"],
        token="/token", answered={"refresh_token_expires_in": "number"}, revoke="/revoke", keys="/oauth2/v3/certs")
    # https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke: the token is a parameter as well
    operations["POST /revoke"]["query"]["token"] = "string"
    # https://developers.google.com/workspace/drive/api/guides/handle-errors
    failure = {"domain": "string", "reason": "string", "message": "string", "locationType": "string", "location": "string", "extendedHelp": "string"}
    documented = {"origins": origins, "scopes": scopes, "others": {"token": id_token(["hd", "profile"])},
                  "errors": [{"error": {"code": "number", "message": "string", "errors": [failure], "status": "string", "details": ["any"]}}]}
    sources = [{"package": "go " + DRIVE, "licence": "BSD-3-Clause", "files": ["drive/v3/drive-api.json"]},
               {"package": "npm " + GOOGLE_AUTH, "licence": "Apache-2.0", "files": ["build/src/auth/oauth2client.js"]}]
    return "gdrive", sources, operations, types, documented, lambda name: True


def stripe(into):
    wanted = paths("""
        GET /v1/account
        GET /v1/billing_portal/configurations
        POST /v1/billing_portal/sessions
        GET,POST /v1/customers
        GET /v1/customers/search
        GET,POST,DELETE /v1/customers/{id}
        GET /v1/customers/{id}/payment_methods
        GET,POST /v1/payment_methods
        GET /v1/payment_methods/{id}
        POST /v1/payment_methods/{id}/attach
        POST /v1/payment_methods/{id}/detach
        GET /v1/payment_intents/{id}
        GET,POST /v1/products
        GET /v1/products/search
        GET,POST /v1/products/{id}
        GET,POST /v1/prices
        GET /v1/prices/search
        GET,POST /v1/prices/{id}
        GET,POST /v1/tax_rates
        GET /v1/tax_rates/{id}
        GET,POST /v1/subscriptions
        GET /v1/subscriptions/search
        GET,POST,DELETE /v1/subscriptions/{id}
        POST /v1/subscriptions/{id}/resume
        GET,POST /v1/invoices
        GET /v1/invoices/search
        GET,POST,DELETE /v1/invoices/{id}
        GET /v1/invoices/{id}/lines
        POST /v1/invoices/{id}/finalize
        POST /v1/invoices/{id}/pay
        POST /v1/invoices/{id}/void
        POST /v1/invoices/{id}/mark_uncollectible
        GET,POST /v1/invoiceitems
        GET,DELETE /v1/invoiceitems/{id}
        GET,POST /v1/checkout/sessions
        GET /v1/checkout/sessions/{id}
        GET /v1/checkout/sessions/{id}/line_items
        POST /v1/checkout/sessions/{id}/expire
        GET /v1/events
        GET /v1/events/{id}
        GET,POST /v1/webhook_endpoints
        GET,POST,DELETE /v1/webhook_endpoints/{id}""")
    operations, types = stripe_go.read(module(STRIPE), wanted)
    missing(wanted, operations)
    followed = ("Customer", "PaymentMethod", "PaymentMethodCard", "PaymentIntent", "Product", "Price", "TaxRate", "Tax", "Subscription", "Invoice",
                "LineItem", "CheckoutSession", "BillingPortal", "Event", "WebhookEndpoint", "Discount", "Account", "Error", "List", "Address",
                "Shipping", "Period", "SearchMeta", "Card", "RangeQueryParams")
    dropped = ("PaymentMethodOptions", "NextAction", "Capabilities", "Requirements", "BankTransfer")

    def follow(name):
        return name.startswith(followed) and not any(d in name for d in dropped) and name not in ("AccountSettings", "InvoiceRenderingTemplate")

    # https://docs.stripe.com/api/errors; the client reads the list of events without its envelope
    documented = {"errors": [{"error": "#Error"}], "brackets": True, "origins": stated([module(STRIPE) / "stripe.go"], [("*", "https://api.stripe.com")])}
    sources = [{"package": "go " + STRIPE, "licence": "MIT", "files": ["*.go", "*/client.go"]}]
    return "stripe", sources, operations, types, documented, follow


def clerk(into):
    root = package(CLERK, into) / "clerk_backend_api"
    wanted = paths("""
        GET /jwks
        GET,POST /organizations
        GET,PATCH,DELETE /organizations/{organization_id}
        PATCH,PUT /organizations/{organization_id}/metadata
        GET,POST /organizations/{organization_id}/memberships
        PATCH,DELETE /organizations/{organization_id}/memberships/{user_id}
        GET,POST /users
        GET /users/count
        GET /users/{user_id}
        POST /users/{user_id}/ban
        POST /users/{user_id}/unban
        POST /users/{user_id}/verify_password
        GET /users/{user_id}/organization_memberships
        POST /sessions
        GET /sessions/{session_id}
        POST /sessions/{session_id}/tokens
        POST /oauth_applications/access_tokens/verify""")
    operations, types = readers.speakeasy(root, "/v1", wanted)
    missing(wanted, operations)
    # https://clerk.com/docs/guides/development/errors/overview: each refusal has its trace
    types["ClerkErrorsData"] |= {"clerk_trace_id": "string"}
    # npm @clerk/backend, skipApiVersionInUrl: the vendor's other client calls this operation without the version
    verify = "POST /v1/oauth_applications/access_tokens/verify"
    operations[verify.replace("/v1", "")] = operations[verify]
    operations |= endpoints(
        authorize="/oauth/authorize", token="/oauth/token", revoke="/oauth/token/revoke", userinfo="/oauth/userinfo",
        keys="/.well-known/jwks.json", metadata=["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"],
        # https://clerk.com/docs/guides/configure/auth-strategies/oauth/how-clerk-implements-oauth
        claims={"user_id": "string", "instance_id": "string", "org_id": "string", "username": "string", "public_metadata": {"*": "any"},
                "private_metadata": {"*": "any"}, "unsafe_metadata": {"*": "any"}})
    documented = {
        "errors": ["#ClerkErrorsData"], "origins": stated([root / "sdkconfiguration.py"], [("*", "https://api.clerk.com/v1")]),
        # https://clerk.com/docs/guides/configure/auth-strategies/oauth/how-clerk-implements-oauth: the Frontend API of the instance
        "scopes": [*SCOPES, "public_metadata", "private_metadata", "user:org:read"],
        # https://clerk.com/docs/guides/development/webhooks/overview
        "others": {"event": {"data": "any", "object": "string", "type": "string", "timestamp": "number", "instance_id": "string",
                             "event_attributes": {"*": "any"}}, "deleted": "#DeletedObject"},
    }
    documented["origins"] |= {name.split(" ")[1]: ["{instance}"] for name in operations if "/oauth/" in name or "/.well-known/" in name}
    sources = [{"package": "pypi " + CLERK, "licence": "MIT", "files": ["clerk_backend_api"]}]
    return "clerk", sources, operations, types, documented, lambda name: True


def graph(into):
    root = package(GRAPH, into) / "msgraph" / "generated"
    item, drives = "drives/item/items/item/", "/v1.0/drives/{drive}"
    page = {"@odata.nextLink": "string", "@odata.deltaLink": "string", "@odata.count": "number"}
    lists = {"Drive": {"value": ["#Drive"], **page}, "Item": {"value": ["#DriveItem"], **page}, "Site": {"value": ["#Site"], **page},
             "Subscription": {"value": ["#Subscription"], **page}}
    one, delta = item + "drive_item_item_request_builder.py", item + "delta/delta_request_builder.py"
    wanted = {
        "GET /v1.0/sites": ("sites/sites_request_builder.py", lists["Site"], None),
        "GET /v1.0/sites/{site}": ("sites/item/site_item_request_builder.py", "#Site", None),
        "GET /v1.0/sites/{site}/drive": ("sites/item/drive/drive_request_builder.py", "#Drive", None),
        "GET /v1.0/sites/{site}/drives": ("sites/item/drives/drives_request_builder.py", lists["Drive"], None),
        "GET /v1.0/me/drive": ("users/item/drive/drive_request_builder.py", "#Drive", None),
        "GET /v1.0/me/drives": ("users/item/drives/drives_request_builder.py", lists["Drive"], None),
        "GET /v1.0/me": ("users/item/user_item_request_builder.py", "#User", None),
        "GET " + drives: ("drives/item/drive_item_request_builder.py", "#Drive", None),
        "GET " + drives + "/items/{item}": (one, "#DriveItem", None),
        "GET " + drives + "/items/{item}/children": (item + "children/children_request_builder.py", lists["Item"], None),
        "GET " + drives + "/items/{item}/content": (item + "content/content_request_builder.py", None, None),
        "GET " + drives + "/items/{item}/delta": (delta, lists["Item"], None),
        # https://learn.microsoft.com/graph/api/driveitem-get, driveitem-delta and driveitem-list-children: root is an item, which a path can follow
        "GET " + drives + "/root": (one, "#DriveItem", None),
        "GET " + drives + "/root/children": (item + "children/children_request_builder.py", lists["Item"], None),
        "GET " + drives + "/root/delta": (delta, lists["Item"], None),
        "GET " + drives + "/root:/{path...}": (one, "#DriveItem", None),
        "GET " + drives + "/root:/{path...}:/children": (item + "children/children_request_builder.py", lists["Item"], None),
        "GET " + drives + "/items/{item}:/{path...}": (one, "#DriveItem", None),
        "GET /v1.0/subscriptions": ("subscriptions/subscriptions_request_builder.py", lists["Subscription"], None),
        "POST /v1.0/subscriptions": ("subscriptions/subscriptions_request_builder.py", "#Subscription", "#Subscription"),
        "GET /v1.0/subscriptions/{id}": ("subscriptions/item/subscription_item_request_builder.py", "#Subscription", None),
        "PATCH /v1.0/subscriptions/{id}": ("subscriptions/item/subscription_item_request_builder.py", "#Subscription", "#Subscription"),
        "DELETE /v1.0/subscriptions/{id}": ("subscriptions/item/subscription_item_request_builder.py", None, None),
    }
    operations, types = readers.kiota(root, wanted)
    # https://learn.microsoft.com/graph/errors: an error can hold a more exact one
    inner = {f: "string" for f in ["code", "message", "date", "request-id", "client-request-id"]}
    types["InnerError"] = inner | {"innerError": "#InnerError", "innererror": "#InnerError"}
    # Where a library belongs to a group, identities are of the derived type.
    types["IdentitySet"] |= types["SharePointIdentitySet"]
    # https://learn.microsoft.com/graph/delta-query-overview: the links of a page hold token
    for name, o in operations.items():
        if name.endswith("/delta"):
            o["query"] |= {"token": "string", "$skiptoken": "string", "$deltatoken": "string"}
    # https://learn.microsoft.com/graph/api/site-search
    operations["GET /v1.0/sites"]["query"]["search"] = "string"
    operations["GET /v1.0/me/drives"]["query"]["$skiptoken"] = operations["GET /v1.0/sites"]["query"]["$skiptoken"] = "string"
    for name in operations:
        if name.endswith(("/drives", "/children")):
            operations[name]["query"]["$skiptoken"] = "string"
    operations |= endpoints(
        # https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow
        authorize="/{tenant}/oauth2/v2.0/authorize", asked=["domain_hint"], token="/{tenant}/oauth2/v2.0/token",
        answered={"ext_expires_in": "number"}, keys="/{tenant}/discovery/v2.0/keys", metadata=["/{tenant}/v2.0/.well-known/openid-configuration"])
    msal = package(MSAL, into) / "msal" / "authority.py"
    origins = {"*": stated([root / "base_graph_service_client.py"], [("*", "https://graph.microsoft.com/v1.0")])["*"]}
    host = stated([msal], [("*", "https://login.microsoftonline.com/")])["*"]
    origins |= {path: host for path in (name.split(" ")[1] for name in operations) if path.startswith("/{tenant}/")}
    documented = {
        "origins": origins,
        # https://learn.microsoft.com/graph/permissions-reference
        "scopes": SCOPES + ["Sites.Read.All", "Files.Read.All", "Files.ReadWrite.All", "Sites.ReadWrite.All", "User.Read"],
        # https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
        "others": {"token": id_token(["oid", "tid", "ver", "uti", "rh", "sid", "upn"]),
                   # https://learn.microsoft.com/graph/api/resources/changenotificationcollection
                   "notification": {"value": [{"id": "string", "subscriptionId": "string", "subscriptionExpirationDateTime": "string",
                                               "clientState": "string", "changeType": "string", "resource": "string", "tenantId": "string",
                                               "resourceData": {"*": "any"}, "lifecycleEvent": "string", "encryptedContent": {"*": "any"}}],
                                    "validationTokens": ["string"]}},
        # https://learn.microsoft.com/graph/errors
        "errors": [{"error": {"code": "string", "message": "string", "innerError": "#InnerError", "innererror": "#InnerError", "details": ["any"], "target": "string"}},
                   {f: "string" for f in ["error", "error_description", "error_uri", "timestamp", "trace_id", "correlation_id", "suberror", "claims"]} | {"error_codes": ["number"]}],
        # https://learn.microsoft.com/graph/api/resources/driveitem, instance attributes; OData 4.01 JSON format section 4.6
        "envelope": {"@odata.context": "string", "@odata.type": "string", "@odata.id": "string", "@odata.etag": "string",
                     "@microsoft.graph.downloadUrl": "string", "@microsoft.graph.conflictBehavior": "string"},
        "everywhere": True,
    }
    followed = {"Drive", "DriveItem", "Site", "Subscription", "User", "ItemReference", "IdentitySet", "Identity", "File", "Folder", "Hashes",
                "Deleted", "Root", "FileSystemInfo", "Package", "RemoteItem", "Shared", "SharepointIds", "SpecialFolder", "Malware", "Quota",
                "SystemFacet", "SiteCollection", "FolderView", "SearchResult", "PublicationFacet",
                "InnerError"}
    sources = [{"package": "pypi " + GRAPH, "licence": "MIT", "files": ["msgraph/generated"]},
               {"package": "pypi " + MSAL, "licence": "MIT", "files": ["msal/authority.py"]}]
    return "msgraph", sources, operations, types, documented, lambda name: name in followed


def quickbooks(into):
    types = readers.jaxb(archive(INTUIT, into))
    # https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features: addresses, parameters and the JSON form
    # npm node-quickbooks: the usual client adds format to each request
    asked = {"minorversion": "string", "requestid": "string", "format": "string"}
    entities = ["Account", "Bill", "VendorCredit", "Vendor", "TaxCode", "TaxRate", "CompanyCurrency", "Attachable"]
    listed = {f: "number" for f in ["startPosition", "maxResults", "totalCount"]} | {e: ["#" + e] for e in [*entities, "CompanyInfo", "Preferences", "Class", "Department"]}
    at, operations = "/v3/company/{realm}/", {}
    for method in ("GET", "POST"):
        operations[f"{method} {at}query"] = {"query": asked | {"query": "string"}, "body": "any" if method == "POST" else None,
                                             "answer": {"QueryResponse": listed, "time": "string"}}
    for e, path in [*((e, e.lower() + "/{id}") for e in entities), ("CompanyInfo", "companyinfo/{id}"), ("Preferences", "preferences")]:
        operations[f"GET {at}{path}"] = {"query": asked, "body": None, "answer": {e: "#" + e, "time": "string"}}
    for e in ["Bill", "VendorCredit", "Vendor", "Attachable"]:
        operations[f"POST {at}{e.lower()}"] = {"query": asked | {"operation": "string", "include": "string"}, "body": "#" + e,
                                               "answer": {e: "#" + e, "time": "string"}}
    fault = {"Fault": "#Fault", "time": "string"}
    operations[f"POST {at}upload"] = {"query": asked, "body": "#Attachable", "answer": {"AttachableResponse": [{"Attachable": "#Attachable", **fault}], "time": "string"}}
    operations |= endpoints(
        # https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
        authorize="/connect/oauth2", token="/oauth2/v1/tokens/bearer", answered={"x_refresh_token_expires_in": "number"},
        revoke="/v2/oauth2/tokens/revoke", keys="/op/v1/jwks", userinfo="/v1/openid_connect/userinfo",
        claims={"givenName": "string", "familyName": "string", "emailVerified": "boolean", "phoneNumber": "string", "phoneNumberVerified": "boolean"},
        metadata=["/.well-known/openid_configuration", "/.well-known/openid_sandbox_configuration", "/.well-known/openid-configuration"])
    client = npm(INTUIT_OAUTH, into) / "src" / "OAuthClient.js"
    origins = stated([client], [
        ("*", "https://quickbooks.api.intuit.com/"), ("*", "https://sandbox-quickbooks.api.intuit.com/"),
        ("/connect/oauth2", "https://appcenter.intuit.com/connect/oauth2"),
        ("/oauth2/v1/tokens/bearer", "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer"),
        ("/v2/oauth2/tokens/revoke", "https://developer.api.intuit.com/v2/oauth2/tokens/revoke"),
        ("/op/v1/jwks", "https://oauth.platform.intuit.com/op/v1/jwks"),
        ("/v1/openid_connect/userinfo", "https://accounts.platform.intuit.com/v1/openid_connect/userinfo"),
        ("/v1/openid_connect/userinfo", "https://sandbox-accounts.platform.intuit.com/v1/openid_connect/userinfo")])
    # https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/openid-connect
    origins |= {f"/.well-known/{name}": ["https://developer.api.intuit.com"] for name in ("openid_configuration", "openid_sandbox_configuration")}
    scopes = re.findall(r": '([^']+)'", re.search(r"OAuthClient\.scopes = \{(.*?)\}", client.read_text(), re.S)[1])
    # The XSD has name and value of the fields that only XML shows as attributes; JSON names them in lower case.
    documented = {"origins": origins, "scopes": scopes, "others": {"token": id_token(["realmid"])}, "errors": [fault, {"fault": {"error": [{"message": "string", "detail": "string", "code": "string", "element": "string"}], "type": "string"}, "time": "number",
                                     **{f: "any" for f in ["warnings", "intuitObject", "requestId", "status", "batchItemResponse", "attachableResponse", "queryResponse", "report", "cdcresponse", "syncErrorResponse"]}}]}
    sources = [{"package": "maven " + INTUIT + ":sources", "licence": "Apache-2.0", "files": ["com/intuit/ipp/data"]},
               {"package": "npm " + INTUIT_OAUTH, "licence": "Apache-2.0", "files": ["src/OAuthClient.js"]}]
    return "quickbooks", sources, operations, types, documented, lambda name: True


def main():
    with tempfile.TemporaryDirectory() as into:
        for make in (xero, quickbooks, graph, drive, clerk, stripe):
            if len(sys.argv) > 1 and make.__name__ not in sys.argv[1:]:
                continue
            vendor, sources, operations, types, documented, follow = make(into)
            parts = {"errors": {"answer": documented.pop("errors")}, "envelope": {"answer": documented.pop("envelope", {})},
                     "others": {"answer": documented.pop("others", {})}}
            reached, kept = readers.reach({**operations, **parts}, types, follow)
            errors, envelope = reached.pop("errors")["answer"], reached.pop("envelope")["answer"]
            others = reached.pop("others")["answer"]
            excerpt = {"vendor": vendor, "sources": sources, "standards": STANDARDS, **documented, "errors": errors, "envelope": envelope, "others": others,
                       "operations": dict(sorted(reached.items())), "types": dict(sorted(kept.items()))}
            lines = json.dumps(excerpt, separators=(",", ":"))
            for key in ('"sources":', '"standards":', '"errors":', '"envelope":', '"others":', '"origins":', '"scopes":', '"operations":', '"types":', *(f'{json.dumps(n)}:{{' for n in [*reached, *kept])):
                lines = lines.replace("," + key, ",\n" + key).replace("{" + key, "{\n" + key)
            (OUT / (vendor + ".json")).write_text(lines + "\n")
            print(f"{vendor}: {len(reached)} operations, {len(kept)} types, {len(lines)} bytes")


if __name__ == "__main__":
    main()
