// A measured figure of the benchmark with its limit.
export interface Measurement {
  name: string;
  value: number;
  unit: 'ms' | 'KB' | '%';
  max: number;
  /**
   * The value in milliseconds with which the figure is compared, and the quotient of both;
   * undefined without a comparison.
   */
  baseline?: { value: number; ratio: number };
}
