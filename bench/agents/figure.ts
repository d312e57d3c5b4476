// A measured figure of the benchmark with its limit.
export interface Figure {
  name: string;
  value: number;
  unit: 'ms' | 'KB' | '%';
  max: number;
  /** Milliseconds of what it is compared with, and the quotient of both, where there is one. */
  baseline?: { value: number; ratio: number };
}
