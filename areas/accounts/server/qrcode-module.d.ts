// Types of the used part of qrcode, which ships none.
declare module 'qrcode' {
  type Options = { type: 'svg'; margin?: number; errorCorrectionLevel?: 'L' | 'M' | 'Q' | 'H' };
  export function toString(text: string, options: Options): Promise<string>;
}
