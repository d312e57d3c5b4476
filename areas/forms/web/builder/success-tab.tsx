// The success view, which replaces the form after a sign-up.
import { Text } from '@mantine/core';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { BlockTiles, Outline } from './content-tab.tsx';
import { SUCCESS_KINDS } from './kinds.ts';
import { useDraft } from './store.ts';

export function SuccessTab() {
  const t = useTexts('forms-builder');
  const { settings } = useDraft();
  return (
    <>
      <FieldPart title={t('content.blocks')}>
        {settings.redirect_after && (
          <Text size="sm" c="dimmed">
            {t('success.redirected')}
          </Text>
        )}
        <BlockTiles kinds={SUCCESS_KINDS} />
      </FieldPart>
      <FieldPart title={t('content.outline')}>
        <Outline />
      </FieldPart>
    </>
  );
}
