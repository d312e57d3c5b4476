// Some workers take pieces of work one after the other, each when what it waits for is done.

export type Piece = {
  /** Done before this one begins, by their names. */
  after?: readonly string[];
  name: string;
};

/**
 * Runs all pieces, so many at a time, in their order as far as they may begin; pieces may share a name, which is done with
 * the last of them. After a failure nothing new begins; it is told once those under way have ended.
 */
export async function runPieces<P extends Piece>(
  pieces: readonly P[],
  atOnce: number,
  run: (piece: P, worker: number) => Promise<void>,
): Promise<void> {
  const waiting = [...pieces];
  const open = new Map<string, number>();
  for (const { name } of pieces) open.set(name, (open.get(name) ?? 0) + 1);
  const isReady = ({ after = [] }: P) => after.every((name) => !open.get(name));
  let failure: { error: unknown } | undefined;
  let wake: (() => void)[] = [];
  const worker = async (_: unknown, number: number) => {
    while (waiting.length > 0 && !failure) {
      const at = waiting.findIndex(isReady);
      if (at < 0) {
        await new Promise<void>((settle) => wake.push(settle));
        continue;
      }
      const [piece] = waiting.splice(at, 1) as [P];
      try {
        await run(piece, number);
      } catch (error) {
        failure ??= { error };
      }
      open.set(piece.name, (open.get(piece.name) ?? 1) - 1);
      for (const go of wake) go();
      wake = [];
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failure) throw failure.error;
}
