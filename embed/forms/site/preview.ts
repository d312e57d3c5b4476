// The builder's preview: the real form on an empty page in a frame, controlled by the builder. Its
// input is never submitted.
import type { Snapshot } from '../shared/document.ts';
import type { ShownPrize } from '../shared/success.ts';
import { type ShownForm, showForm } from './form.ts';
import * as wheel from './wheel.ts';

type PreviewMessage = {
  base: string;
  snapshot: Snapshot;
  /** Example of a prize. */
  prize?: ShownPrize;
  moment: 'now' | 'scroll' | 'leave' | 'sent';
  /** True if the form is closed. */
  isOff: boolean;
  /** The scroll position in percent. */
  percent: number;
};

const PAGE =
  'body{margin:0;background:#f4f4f2;font:16px system-ui}main{padding:32px 16px}.page{display:grid;gap:20px;padding:40px clamp(20px,8vw,96px)}.page div{height:18px;border-radius:4px;background:#e6e6e1}.page div:first-child{height:44px;width:46%}.page div:nth-child(2n){width:88%}';
const LINES = 60;

const sheet = new CSSStyleSheet();
sheet.replaceSync(PAGE);
document.adoptedStyleSheets = [sheet];
const container = document.querySelector('main') ?? document.body;
const lines = document.createElement('div');
lines.className = 'page';
lines.setAttribute('aria-hidden', 'true');
lines.append(...Array.from({ length: LINES }, () => document.createElement('div')));

let shownForm: ShownForm | undefined;

addEventListener('message', ({ source, data }: MessageEvent<PreviewMessage>) => {
  if (source !== parent || !data.snapshot) return;
  const { base, snapshot, moment, isOff, percent, prize } = data;
  const isEmbed = snapshot.type === 'embed';
  shownForm?.remove();
  if (!isEmbed) container.replaceChildren(lines);
  const fraction = moment === 'scroll' ? percent / 100 : 0;
  scrollTo({
    top: fraction * (document.documentElement.scrollHeight - innerHeight),
    behavior: 'instant',
  });
  if (isOff) return;
  shownForm = showForm({
    base,
    snapshot,
    wheel,
    place: isEmbed ? container : undefined,
    isPreview: true,
    samplePrize: prize,
    isSent: moment === 'sent',
    onClose: () => parent.postMessage('closed', '*'),
  });
});
parent.postMessage('ready', '*');
