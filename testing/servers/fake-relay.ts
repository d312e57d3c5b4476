// A relay that the test controls.
import type {
  HandoffResult,
  OpenRelay,
  RelayState,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';

/** The result of a message whose connection was lost. */
export const CONNECTION_LOST: HandoffResult = {
  outcome: 'deferred',
  scope: 'connection',
  step: 'connect',
  code: 0,
  enhancedCode: '',
  reply: 'Connection lost.',
};

export function fakeRelay() {
  let state: RelayState = { kind: 'ready' };
  let source: HandoffSource | undefined;
  const figures = { connections: 1, inFlight: 0, acceptedPerSecond: 0 };
  const open: OpenRelay = (input) => {
    source = input as unknown as HandoffSource;
    return {
      name: 'fake',
      capacity: 4,
      state: () => state,
      getStatistics: () => ({ ...figures, allowedPerSecond: Number.POSITIVE_INFINITY }),
      wake() {},
      close: () => Promise.resolve(),
    };
  };
  return {
    open,
    source: () => source as HandoffSource,
    become(newState: RelayState) {
      state = newState;
      source?.onStateChange?.(newState);
    },
  };
}
