// Converts trees to elements with allowed tags, attributes and URLs only, so that a snapshot never
// runs as script.
import type { MarkupTree } from '../shared/document.ts';

const TAGS = new Set(
  'div form fieldset legend label span p h2 a img hr input select option button output'.split(' '),
);
const ATTRIBUTES =
  /^(class|type|name|value|placeholder|novalidate|inputmode|autocomplete|for|alt|role|rel|target|href|src|aria-[a-z]+|data-[a-z]+)$/;

export function mount(tree: MarkupTree): Node {
  if (typeof tree === 'string') return document.createTextNode(tree);
  const [tag, attributes, ...children] = tree;
  if (!TAGS.has(tag)) return document.createTextNode('');
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.test(name)) continue;
    if ((name === 'href' || name === 'src') && !/^https?:\/\//i.test(value)) continue;
    element.setAttribute(name, value);
  }
  for (const child of children) element.append(mount(child));
  return element;
}
