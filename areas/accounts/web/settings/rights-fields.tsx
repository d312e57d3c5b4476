// The fields for the rights of a user: a choice of presets, and a checkbox for each right.
import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  DENIABLE_RIGHTS,
  findPreset,
  type Right,
  RIGHT_PRESETS,
  type RightPreset,
  RIGHTS,
} from '#platform/rights.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { type Texts, useTexts } from '#platform/web/texts/texts.ts';

interface RightsFieldsProps {
  denied: readonly Right[];
  onChange: (denied: Right[]) => void;
}

const PRESETS = Object.keys(RIGHT_PRESETS) as RightPreset[];

/** Keys of the text catalog contain no dots. */
const getKey = (right: Right) => right.replace('.', '_');
export const getRightName = (t: Texts, right: Right) => t(`rights.names.${getKey(right)}`);

export function RightsFields({ denied, onChange }: RightsFieldsProps) {
  const t = useTexts('accounts');
  const preset = findPreset(denied);
  const presets = PRESETS.map((value) => ({
    value: value as string,
    label: t(`rights.presets.${value}`),
  }));
  const custom = { value: '', label: t('rights.presets.custom'), disabled: true };
  return (
    <Stack gap="md">
      <NativeSelect
        label={t('rights.preset')}
        value={preset ?? ''}
        data={preset ? presets : [custom, ...presets]}
        onChange={(event) => {
          const selectedPreset = PRESETS.find((name) => name === event.currentTarget.value);
          if (selectedPreset) onChange([...RIGHT_PRESETS[selectedPreset]]);
        }}
      />
      <RightBoxes
        label={t('rights.allowed')}
        rights={RIGHTS.filter((right) => !denied.includes(right))}
        fixedRights={['read']}
        onChange={(allowedRights) =>
          onChange(DENIABLE_RIGHTS.filter((right) => !allowedRights.includes(right)))
        }
      />
    </Stack>
  );
}

interface RightBoxesProps {
  label: string;
  rights: readonly Right[];
  /** Rights that cannot be changed here. */
  fixedRights?: readonly Right[];
  error?: ReactNode;
  onChange: (rights: Right[]) => void;
}

/**
 * A checkbox for each right. Rights that the signed-in user lacks can be neither granted nor
 * removed.
 */
export function RightBoxes({ label, rights, fixedRights = [], error, onChange }: RightBoxesProps) {
  const t = useTexts('accounts');
  const ownRights = useRights();
  return (
    <Checkbox.Group
      label={label}
      error={error}
      value={[...rights]}
      onChange={(preset) => onChange(RIGHTS.filter((right) => preset.includes(right)))}
    >
      <Stack gap="xs" mt="xs">
        {RIGHTS.map((right) => (
          <Checkbox
            key={right}
            value={right}
            label={getRightName(t, right)}
            description={t(`rights.hints.${getKey(right)}`)}
            disabled={fixedRights.includes(right) || !ownRights.has(right)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
