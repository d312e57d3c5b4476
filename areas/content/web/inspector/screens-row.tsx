// The row for choosing the screen sizes where a block or section is shown.
import { Text } from '@mantine/core';
import { ChoiceRow } from '#platform/web/editing/fields.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { HideOn } from '../../document.ts';

/** Nodes with required content cannot be hidden. */
export function ScreensRow({
  value,
  isNeeded,
  onChange,
}: {
  value: HideOn | null;
  isNeeded: boolean;
  onChange: (value: HideOn | null) => void;
}) {
  const t = useTexts('content');
  if (isNeeded) {
    return (
      <Text size="sm" c="dimmed">
        {t('hideOn.never')}
      </Text>
    );
  }
  return (
    <ChoiceRow
      label={t('hideOn.label')}
      value={value ?? 'none'}
      onChange={(next) => onChange(next === 'none' ? null : next)}
      data={(['none', 'mobile', 'desktop'] as const).map((screens) => ({
        value: screens,
        label: t(`hideOn.${screens}`),
      }))}
    />
  );
}
