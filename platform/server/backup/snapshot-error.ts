// The reason why a backup cannot be written or restored, in one sentence.
export class SnapshotError extends Error {}
