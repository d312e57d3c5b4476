// Whether sending is in progress, by the delivery in its contract.

export function isInProgress(broadcast: { delivery: { state: string } | null }): boolean {
  const state = broadcast.delivery?.state;
  return state !== undefined && state !== 'finished' && state !== 'cancelled';
}
