// Types of the parts of MJML 5 that are used; the package has no types.
declare module 'mjml' {
  type Options = {
    validationLevel?: 'strict' | 'soft' | 'skip';
    keepComments?: boolean;
    fonts?: Record<string, string>;
  };
  type MjmlResult = { html: string; errors: { formattedMessage: string }[] };
  export default function mjml2html(mjml: string, options?: Options): Promise<MjmlResult>;
}
