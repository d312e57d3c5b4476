// A measured figure of the benchmark with its limit.
export interface Figure {
  name: string;
  value: number;
  unit: 'ms' | 'KB' | '%';
  max: number;
  /** What it is compared with, and its quotient by that, where there is one. */
  baseline?: { value: number; ratio: number };
}
