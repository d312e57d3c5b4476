// What is used of qrcode, which brings no types.
declare module 'qrcode' {
  type Options = { type: 'svg'; margin?: number; errorCorrectionLevel?: 'L' | 'M' | 'Q' | 'H' };
  export function toString(text: string, options: Options): Promise<string>;
}
