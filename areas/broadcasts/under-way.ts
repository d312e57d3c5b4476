// Whether something leaves just now, by what its contract shows of its delivery.

export function isUnderWay(broadcast: { delivery: { state: string } | null }): boolean {
  const state = broadcast.delivery?.state;
  return state !== undefined && state !== 'finished' && state !== 'cancelled';
}
