// Unchanged texts of templates and new blocks, which would be sent as they are.
import { LANGUAGES } from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { withoutElements } from '#platform/spans.ts';
import type { Block, EmailDocument } from '../../document.ts';
import { eachBlock } from '../../document.ts';
import type { Finding } from '../personalization/message-source.ts';
import { TEMPLATES } from '../templates/all.ts';
import { templateWords } from '../templates/words.ts';

/** Minimum length; shorter texts ("Hello,") may be intended. */
const LEAST = 30;
let brought: Set<string> | undefined;

/** One finding for all of them, at the first. */
export function leftovers(document: EmailDocument): Finding[] {
  brought ??= allBrought();
  const left: string[] = [];
  eachBlock(document, (block) => {
    if (wordsOf(block).some((words) => brought?.has(words))) left.push(block.id);
  });
  const [node] = left;
  if (node === undefined) return [];
  const values = { count: left.length };
  return [{ code: 'placeholder_text', severity: 'warning', part: 'html', node, values }];
}

/** Footers are excluded: their text is usually kept. */
function wordsOf(block: Block): string[] {
  if (block.type === 'footer' || !('html' in block) || block.type === 'html') return [];
  const words = withoutElements(block.html, ' ').replace(/\s+/g, ' ').trim();
  return words.length < LEAST ? [] : [words];
}

/** Texts of all templates and languages, a few thousand sentences, read once. */
function allBrought(): Set<string> {
  const words = new Set<string>();
  for (const language of LANGUAGES) {
    for (const template of TEMPLATES) {
      eachBlock(template.make(templateWords(language)), (block) => {
        for (const one of wordsOf(block)) words.add(one);
      });
    }
    const t = serverTexts('content.words', language);
    for (const key of ['heading', 'text']) words.add(t(`fresh.${key}`));
  }
  return words;
}
