/** The page to which the provider redirects. The service adds integration_id and status. */
export const returnUrl = (): string => `${location.origin}/integrations`

export interface ReturnSearch {
  integration_id?: string
  status?: string
}

export function readReturn(search: Record<string, unknown>): ReturnSearch {
  return {
    integration_id: typeof search.integration_id === 'string' ? search.integration_id : undefined,
    status: typeof search.status === 'string' ? search.status : undefined,
  }
}
