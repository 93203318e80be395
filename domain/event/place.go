package event

// Place is the place of an event in the log of its database: the position of its
// transaction, and a number within it.
type Place struct{ Position, Seq int64 }

// Placed is an event with its place.
type Placed struct {
	Event
	Place Place
}

// Types lists the types of this release that are in the log.
func Types() []Type {
	return []Type{
		DocumentReceived, DocumentExtracted, DocumentFailed, DocumentNotAnInvoice, DocumentSplit, DocumentHeld, DocumentDeleted, DocumentMoved, DocumentChanged,
		InvoiceExtracted, InvoiceNeedsReview, InvoiceCorrected, InvoiceApproved, InvoiceApprovalWithdrawn, InvoiceRejected,
		InvoiceReopened, InvoiceAssigned, InvoiceNoteAdded, InvoiceDuplicateFound, InvoiceDuplicateDismissed, InvoiceRechecked, InvoiceSyncQueued, InvoiceSynced, InvoiceSyncFailed,
		EntityCreated, EntityChanged, SettingsChanged, MemberAdded, MemberChanged, MemberRemoved, MemberSessionEnded,
		OrganizationDeactivated, OrganizationReactivated,
		SupplierCreated, SupplierChanged, SupplierBankAccountNew, SupplierMerged,
		IntegrationSetUp, IntegrationActivated, IntegrationError, IntegrationHealed, IntegrationDisconnected, IntegrationLinkCreated,
		APIKeyCreated, APIKeyRevoked, APIKeyExpiring,
		WebhookCreated, WebhookChanged, WebhookSecretRotated, WebhookDisabled, WebhookDeleted,
		BillingPlanChanged, BillingLimitReached, BillingChargePaid, BillingChargeFailed, BillingDoubleChargeSuspected,
	}
}
