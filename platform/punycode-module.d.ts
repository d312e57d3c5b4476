// Types of the used part of punycode.js, which has none.
declare module 'punycode.js' {
  const punycode: { decode(label: string): string };
  export default punycode;
}
