"""What OAuth and OpenID Connect define, and what each vendor documents beyond them."""

STANDARDS = ["RFC 6749 sections 4.1, 5 and 6", "RFC 7009 section 2.1", "RFC 7636 section 4", "RFC 9207 section 2",
             "OpenID Connect Core 1.0 sections 2, 3.1 and 5.3", "OpenID Connect Discovery 1.0 section 3", "RFC 8414 section 2",
             "RFC 7517 section 4", "OpenID Connect RP-Initiated, Front-Channel and Back-Channel Logout 1.0", "RFC 8628 section 4"]

AUTHORIZE = ["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
             "nonce", "prompt", "login_hint", "response_mode", "display", "max_age", "ui_locales", "id_token_hint", "acr_values"]
TOKEN = {f: "string" for f in ["grant_type", "code", "redirect_uri", "client_id", "client_secret", "code_verifier",
                               "refresh_token", "scope"]}
ANSWER = {"access_token": "string", "token_type": "string", "expires_in": "number", "refresh_token": "string",
          "scope": "string", "id_token": "string"}
REFUSAL = {"error": "string", "error_description": "string", "error_uri": "string"}
METADATA = {f: "string" for f in [
    "issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "registration_endpoint", "service_documentation",
    "op_policy_uri", "op_tos_uri", "revocation_endpoint", "introspection_endpoint", "end_session_endpoint", "check_session_iframe",
    "device_authorization_endpoint"]}
METADATA |= {f: ["string"] for f in [
    "scopes_supported", "response_types_supported", "response_modes_supported", "grant_types_supported", "acr_values_supported",
    "subject_types_supported", "id_token_signing_alg_values_supported", "id_token_encryption_alg_values_supported",
    "userinfo_signing_alg_values_supported", "request_object_signing_alg_values_supported", "token_endpoint_auth_methods_supported",
    "token_endpoint_auth_signing_alg_values_supported", "revocation_endpoint_auth_methods_supported", "display_values_supported",
    "introspection_endpoint_auth_methods_supported", "claim_types_supported", "claims_supported", "claims_locales_supported",
    "ui_locales_supported", "code_challenge_methods_supported"]}
METADATA |= {f: "boolean" for f in [
    "claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported", "require_request_uri_registration",
    "authorization_response_iss_parameter_supported", "frontchannel_logout_supported", "frontchannel_logout_session_supported",
    "backchannel_logout_supported", "backchannel_logout_session_supported"]}
KEY = {f: "string" for f in ["kty", "use", "alg", "kid", "n", "e", "x5t"]} | {"x5c": ["string"], "key_ops": ["string"]}
CLAIMS = {f: "string" for f in ["sub", "name", "given_name", "family_name", "email", "picture", "locale", "preferred_username"]}
CLAIMS |= {"email_verified": "boolean"}
SCOPES = ["openid", "profile", "email", "address", "phone", "offline_access"]


def id_token(claims):
    """Returns the claims of an id token; claims are the vendor's additions."""
    return {**CLAIMS, **{f: "string" for f in ["iss", "aud", "nonce", "acr", "azp", "at_hash"]},
            **{f: "number" for f in ["exp", "iat", "auth_time"]}, **{f: "string" for f in claims}}


def endpoints(authorize=None, token=None, revoke=None, userinfo=None, keys=None, metadata=(), asked=(), sent=(), answered=None, claims=None):
    """Returns the operations of the endpoints; asked, sent and answered are the vendor's additions."""
    operations = {}
    for path in metadata:
        operations["GET " + path] = {"query": {}, "body": None, "answer": METADATA}
    if authorize:
        operations["GET " + authorize] = {"query": {f: "string" for f in [*AUTHORIZE, *asked]}, "body": None, "answer": None}
    if token:
        operations["POST " + token] = {"query": {}, "body": {**TOKEN, **{f: "string" for f in sent}}, "answer": {**ANSWER, **(answered or {})}}
    if revoke:
        operations["POST " + revoke] = {"query": {}, "body": {"token": "string", "token_type_hint": "string", "client_id": "string", "client_secret": "string"}, "answer": {"*": "any"}}
    if userinfo:
        operations["GET " + userinfo] = {"query": {}, "body": None, "answer": {**CLAIMS, **(claims or {})}}
    if keys:
        operations["GET " + keys] = {"query": {}, "body": None, "answer": {"keys": [KEY]}}
    return operations
