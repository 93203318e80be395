// Package edge is the outer skin of the HTTP API: everything between the
// network and the generated handlers, and nothing that knows a use-case.
//
// It reads each operation's parameters, bodies and security from the joined
// specification, so that what is documented is what is enforced. A request is
// refused in this order: unknown route 404, authentication 401, role 403 where the
// operation alone decides it, validation 400; what comes after (tenancy, the
// role on an entity, state) is the use-cases' to say. Every
// refusal leaves through WriteError and has the one envelope of the contract's
// section 7, whatever it was that failed.
package edge
