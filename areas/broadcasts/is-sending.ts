// Whether a broadcast is being sent, from the delivery state in its contract.

export function isInProgress(broadcast: { delivery: { state: string } | null }): boolean {
  const state = broadcast.delivery?.state;
  return state !== undefined && state !== 'finished' && state !== 'cancelled';
}
