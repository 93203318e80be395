/** The page to which the provider leads back. The service adds integration_id and status. */
export const returnUrl = (): string => `${location.origin}/integrations`

export interface ReturnSearch {
  integration_id?: string
  status?: string
}

export function readReturn(search: Record<string, unknown>): ReturnSearch {
  return {
    ...(typeof search.integration_id === 'string' ? { integration_id: search.integration_id } : {}),
    ...(typeof search.status === 'string' ? { status: search.status } : {}),
  }
}
