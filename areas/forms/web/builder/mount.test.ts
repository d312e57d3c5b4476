// @vitest-environment jsdom
// Defense in depth: no matter what a snapshot contains, the elements on a customer's page have no
// handler, no script and no style.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mount } from '#embed/forms/site/mount.ts';
import type { MarkupTree } from '#embed/forms/shared/document.ts';

const name = fc.oneof(
  fc.constantFrom('onclick', 'ONLOAD', 'style', 'srcdoc', 'formaction', 'href', 'src', 'class'),
  fc.constantFrom('aria-label', 'data-block', 'id', 'action', 'nonce', 'popover'),
  fc.string({ maxLength: 8 }),
);
const value = fc.constantFrom(
  'javascript:alert(1)',
  'https://a.example/x',
  'data:text/html,x',
  'x',
);
const tag = fc.constantFrom(
  ...['script', 'style', 'iframe', 'object', 'svg', 'base', 'template'],
  ...['div', 'a', 'img', 'form', 'button', 'input', 'p', 'h2'],
);

const { tree } = fc.letrec<{ tree: MarkupTree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 12 }),
    fc
      .tuple(
        tag,
        fc.dictionary(name, value, { maxKeys: 5 }),
        fc.array(tie('tree'), { maxLength: 3 }),
      )
      .map(([tagName, attributes, children]): MarkupTree => [tagName, attributes, ...children]),
  ),
}));

test('mounting a tree never creates a handler, a script, a style or an executable URL', () => {
  fc.assert(
    fc.property(tree, (source) => {
      const page = document.createElement('div');
      page.append(mount(source));
      for (const element of page.querySelectorAll('*')) {
        expect(element.localName).not.toMatch(/^(script|style|iframe|object|svg|base|template)$/);
        for (const attribute of element.attributes) {
          expect(attribute.name).not.toMatch(
            /^(on|style$|srcdoc$|formaction$|action$|nonce$|id$)/i,
          );
          if (attribute.name === 'href' || attribute.name === 'src')
            expect(attribute.value).toMatch(/^https?:/);
        }
      }
    }),
  );
});
