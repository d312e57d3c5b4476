// What is used of punycode.js, which brings no types.
declare module 'punycode.js' {
  const punycode: { decode(label: string): string };
  export default punycode;
}
