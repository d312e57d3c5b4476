// Pasted address lists, as people type them and email programs copy them.
import { expect, it } from 'vitest';
import { encodePastedText } from './pasted.ts';

it.each([
  ['a@x.co, b@x.co', 'a@x.co\nb@x.co'],
  ['a@x.co;b@x.co\nc@x.co', 'a@x.co\nb@x.co\nc@x.co'],
  ['Ona <a@x.co>, Jan <b@x.co>', 'Email,Name\na@x.co,"Ona"\nb@x.co,"Jan"'],
  [
    'Ona Ona <a@x.co>; "Berg, Jan" <b@x.co>; c@x.co;',
    'Email,Name\na@x.co,"Ona Ona"\nb@x.co,"Jan Berg"\nc@x.co,""',
  ],
  ['Lund, Mona <a@x.co>, Jan <b@x.co>', 'Email,Name\na@x.co,"Mona Lund"\nb@x.co,"Jan"'],
  ['To: Ona <a@x.co>,\n <b@x.co>', 'Email,Name\na@x.co,"Ona"\nb@x.co,""'],
  ['"O \\"N\\" a" <a@x.co>', 'Email,Name\na@x.co,"O ""N"" a"'],
  ['email,note\na@x.co,see <b@x.co> there', 'email,note\na@x.co,see <b@x.co> there'],
])('pasted %j is read as %j', (text, file) => {
  expect(encodePastedText(text).toString()).toBe(file);
});
