// Package edge is the middleware of the HTTP API between the network and the
// generated handlers. It does not depend on use cases.
//
// It reads the parameters, bodies and security of each operation from the
// joined specification, so that the documentation and the validation agree. It
// refuses a request in this order: unknown route 404, authentication 401, role
// 403 if the operation alone decides it, validation 400. The use cases then
// check the organization, the role on the entity and the state. WriteError
// writes every refusal in the error envelope of interface 7.
package edge
