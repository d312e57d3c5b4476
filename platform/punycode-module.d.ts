// Types of the part of punycode.js that we use; the package has none.
declare module 'punycode.js' {
  const punycode: { decode(label: string): string };
  export default punycode;
}
