// Types of the parts of qrcode that are used; the package has no types.
declare module 'qrcode' {
  type Options = { type: 'svg'; margin?: number; errorCorrectionLevel?: 'L' | 'M' | 'Q' | 'H' };
  export function toString(text: string, options: Options): Promise<string>;
}
