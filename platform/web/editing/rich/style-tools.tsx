// Tools for text size, colors and emoji.
import { Button, ColorSwatch, Group } from '@mantine/core';
import { IconMoodSmile, IconPalette, IconTextSize } from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { Suspense } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ChoiceMenu } from '#platform/web/ui/choice-menu.tsx';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { useEditingContext } from '../editing-context.ts';
import { Floating, Opener } from './tool.tsx';
import classes from './toolbar.module.css';

const EmojiPicker = lazyWithRetry(() => import('#platform/web/emoji/picker.tsx'));

const SIZES = [12, 14, 16, 18, 20, 24, 28, 32, 40, 48];
const PLAIN_COLORS = [
  '#1b1d22',
  '#5b606b',
  '#ffffff',
  '#c02b3c',
  '#e8622c',
  '#1b7f4b',
  '#3b4fe4',
  '#8a4fbf',
];

export function SizeTool({ editor }: { editor: Editor }) {
  const t = useTexts('editing');
  const chain = () => editor.chain().focus();
  const usualSize = {
    key: '',
    label: t('style.usual'),
    choose: () => chain().unsetFontSize().run(),
  };
  return (
    <ChoiceMenu
      label={t('style.size')}
      width={120}
      groups={[
        {
          choices: [
            usualSize,
            ...SIZES.map((size) => ({
              key: String(size),
              label: String(size),
              choose: () => chain().setFontSize(`${size}px`).run(),
            })),
          ],
        },
      ]}
      target={<Opener icon={IconTextSize} label={t('style.size')} />}
    />
  );
}

export function ColorTool({ editor }: { editor: Editor }) {
  const t = useTexts('editing');
  const colors = [...new Set([...useEditingContext().colors, ...PLAIN_COLORS])];
  const swatches = (applyColor: (color: string) => void) => (
    <Group gap={6} mt={4} mb="xs">
      {colors.map((color) => (
        <ColorSwatch
          key={color}
          component="button"
          type="button"
          size={24}
          color={color}
          aria-label={color}
          onClick={() => applyColor(color)}
        />
      ))}
    </Group>
  );
  const chain = () => editor.chain().focus();
  return (
    <Floating icon={IconPalette} label={t('words.colours')} width={240}>
      {(close) => (
        <>
          <div className={classes.label}>{t('style.color')}</div>
          {swatches((color) => chain().setColor(color).run())}
          <div className={classes.label}>{t('words.highlight')}</div>
          {swatches((color) => chain().setBackgroundColor(color).run())}
          <Button
            size="xs"
            variant="default"
            fullWidth
            onClick={() => {
              chain().unsetColor().unsetBackgroundColor().run();
              close();
            }}
          >
            {t('style.usual')}
          </Button>
        </>
      )}
    </Floating>
  );
}

export function EmojiTool({ editor }: { editor: Editor }) {
  const t = useTexts('editing');
  return (
    <Floating icon={IconMoodSmile} label={t('words.emoji')} width={340}>
      {(close) => (
        <Suspense fallback={<LoadingState rows={3} />}>
          <EmojiPicker
            onPick={(emoji) => {
              editor.chain().focus().insertContent(emoji).run();
              close();
            }}
          />
        </Suspense>
      )}
    </Floating>
  );
}
