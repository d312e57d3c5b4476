// The wheel's slices, the actual odds of each, and the field that stores the prize. The server
// draws the slice, never the browser.
import { ActionIcon, Button, Group, Text, Textarea, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryAllFields } from '#areas/fields/web/index.ts';
import { LIMITS } from '#embed/forms/shared/document.ts';
import { type Color, ColorRow } from '#platform/web/editing/box-fields.tsx';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { LineRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { MAX_STOCK, toCodePool } from '../../shared.ts';
import type { FormSettings } from '../../settings-contract.ts';
import { api, LIST_PATH } from '../queries.ts';
import classes from './builder.module.css';
import { EmailSwitch } from './coupon-rows.tsx';
import { useBuilder, useDraft } from './store.ts';

type WheelSettings = NonNullable<FormSettings['wheel_config']>;
type SliceSettings = WheelSettings['setup'][number];

const MIN_SLICES = 2;
const COLORS = ['#c2410c', '#fed7aa', '#ea580c', '#fdba74', '#9a3412', '#ffedd5'];

function useWheel() {
  const { edit } = useBuilder();
  const { wheel_config: wheel } = useDraft().settings;
  const editWheel = (change: (wheel: WheelSettings) => WheelSettings, name?: string) =>
    edit((draft) => {
      const { wheel_config: now } = draft.settings;
      if (!now) return draft;
      return { ...draft, settings: { ...draft.settings, wheel_config: change(now) } };
    }, name);
  return { wheel, editWheel };
}

export function WheelForm() {
  const t = useTexts('forms-builder');
  const { percent } = useFormats();
  const { wheel } = useWheel();
  if (!wheel) return null;
  const { setup } = wheel;
  const totalWeight = setup.reduce((sum, { weight }) => sum + weight, 0);
  const keys = setup.map((_, at) => `slice-${at}`);
  return (
    <FieldPart title={t('wheel.title')}>
      <Text size="xs" c="dimmed">
        {t('wheel.hint')}
      </Text>
      {setup.map((slice, at) => (
        <SliceForm
          key={keys[at]}
          index={at}
          slice={slice}
          odds={totalWeight === 0 ? '–' : percent(slice.weight / totalWeight)}
          isRemovable={setup.length > MIN_SLICES}
        />
      ))}
      <AddSlice />
      <PrizeField />
      <EmailSwitch label={t('wheel.email')} />
    </FieldPart>
  );
}

function AddSlice() {
  const t = useTexts('forms-builder');
  const { wheel, editWheel } = useWheel();
  const codePools = useCodePools();
  const add = (now: WheelSettings): WheelSettings => {
    const usedPools = [
      ...assignPools(now.setup).map((pool) => pool.stock ?? 0),
      ...(codePools.data?.data ?? []).map(({ slice }) => slice),
    ];
    const slice: SliceSettings = {
      label: t('wheel.newSlice'),
      coupon_code: '',
      is_losing: true,
      weight: 10,
      uses_stock: false,
      // Numbers of removed slices are not reused, because their codes were for another prize.
      stock: Math.min(MAX_STOCK, Math.max(...usedPools) + 1),
      colour: COLORS[now.setup.length % COLORS.length] ?? '#c2410c',
    };
    return { ...now, setup: [...assignPools(now.setup), slice] };
  };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={16} stroke={1.75} />}
      disabled={(wheel?.setup.length ?? 0) >= LIMITS.slices}
      onClick={() => editWheel(add)}
    >
      {t('wheel.add')}
    </Button>
  );
}

/**
 * Numbers each slice's stock explicitly, so that each slice retains its codes when other slices are
 * added or removed.
 */
const assignPools = (setup: readonly SliceSettings[]): SliceSettings[] =>
  setup.map((prize, at) => ({ ...prize, stock: toCodePool(prize, at) }));

function useCodePools() {
  const { id } = useBuilder();
  return useQuery(api.query('GET /client-api/api/forms/{id}/codes', { params: { id } }));
}

interface SliceFormProps {
  index: number;
  slice: SliceSettings;
  odds: string;
  isRemovable: boolean;
}

function SliceForm({ index, slice, odds, isRemovable }: SliceFormProps) {
  const t = useTexts('forms-builder');
  const { number } = useFormats();
  const { editWheel } = useWheel();
  const change = (next: Partial<SliceSettings>, name?: string) =>
    editWheel(
      (now) => ({
        ...now,
        setup: now.setup.map((prize, i) => (i === index ? { ...prize, ...next } : prize)),
      }),
      name && `slice ${index} ${name}`,
    );
  const name = t('wheel.slice', { at: number(index + 1) });
  return (
    <fieldset className={classes.slice} aria-label={name}>
      <SliceHead index={index} odds={odds} isRemovable={isRemovable} name={name} />
      <LineRow
        label={t('wheel.label')}
        value={slice.label}
        onChange={(label) => label.trim() && change({ label: label.slice(0, 60) }, 'label')}
      />
      <NumberRow
        label={t('wheel.weight')}
        value={slice.weight}
        max={1000}
        suffix=""
        onChange={(weight) => weight !== undefined && change({ weight }, 'weight')}
      />
      <ColorRow
        label={t('wheel.colour')}
        value={slice.colour as Color}
        isFixed
        onChange={(color) => color !== undefined && change({ colour: color }, 'colour')}
      />
      <SwitchRow
        label={t('wheel.losing')}
        value={slice.is_losing}
        onChange={(is_losing) => change({ is_losing })}
      />
      {!slice.is_losing && <PrizeRows index={index} slice={slice} onChange={change} />}
    </fieldset>
  );
}

function SliceHead({
  index,
  odds,
  isRemovable,
  name,
}: Omit<SliceFormProps, 'slice'> & { name: string }) {
  const t = useTexts('forms-builder');
  const { editWheel } = useWheel();
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" c="dimmed">
          {t('wheel.odds', { odds })}
        </Text>
        <Tooltip label={t('wheel.remove', { name })}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('wheel.remove', { name })}
            disabled={!isRemovable}
            onClick={() =>
              editWheel((now) => ({
                ...now,
                setup: assignPools(now.setup).filter((_, i) => i !== index),
              }))
            }
          >
            <IconTrash size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}

interface PrizeRowsProps {
  index: number;
  slice: SliceSettings;
  onChange: (next: Partial<SliceSettings>, name?: string) => void;
}

/** The code of a prize: the same one for every winner, or single-use codes from a stock. */
function PrizeRows({ index, slice, onChange }: PrizeRowsProps) {
  const t = useTexts('forms-builder');
  return (
    <>
      <SwitchRow
        label={t('wheel.stock')}
        value={slice.uses_stock}
        onChange={(usesPool) => onChange({ uses_stock: usesPool })}
      />
      {slice.uses_stock ? (
        <CodePool poolNumber={toCodePool(slice, index)} />
      ) : (
        <LineRow
          label={t('wheel.code')}
          value={slice.coupon_code}
          onChange={(code) => onChange({ coupon_code: code.slice(0, 100) }, 'code')}
        />
      )}
    </>
  );
}

/** Single-use codes: how many are left and how many were given, and a field to add more. */
function CodePool({ poolNumber }: { poolNumber: number }) {
  const t = useTexts('forms-builder');
  const { number } = useFormats();
  const { id } = useBuilder();
  const [typed, setTyped] = useState('');
  const codePools = useCodePools();
  const pool = codePools.data?.data.find(({ slice }) => slice === poolNumber);
  const codes = [...new Set(typed.split(/[\s,;]+/).filter(Boolean))];
  const add = useAction(
    () =>
      api('POST /client-api/api/forms/{id}/codes', {
        params: { id },
        body: { slice: poolNumber, codes: codes.slice(0, 10_000) },
      }),
    {
      invalidates: [`${LIST_PATH}/${id}/codes`],
      onDone: ({ data }) => {
        setTyped('');
        toast(t('wheel.added', { number: number(data.added) }));
      },
    },
  );
  return (
    <>
      <Text size="xs" c="dimmed">
        {t('wheel.left', { left: number(pool?.left ?? 0), given: number(pool?.given ?? 0) })}
      </Text>
      <Textarea
        size="xs"
        autosize
        minRows={2}
        maxRows={6}
        dir="ltr"
        label={t('wheel.codes')}
        description={t('wheel.codesHint')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button
        size="xs"
        variant="default"
        disabled={codes.length === 0}
        loading={add.isPending}
        onClick={() => add.mutate(undefined)}
      >
        {t('wheel.addCodes', { number: number(codes.length) })}
      </Button>
    </>
  );
}

function PrizeField() {
  const t = useTexts('forms-builder');
  const { wheel, editWheel } = useWheel();
  const fields = useQuery(queryAllFields());
  if (!wheel) return null;
  const data = (fields.data?.data ?? [])
    .filter(({ type }) => type === 'text')
    .map(({ id, title }) => ({ value: id, label: title }));
  return (
    <>
      <SearchableSelect
        size="xs"
        clearable
        label={t('wheel.field')}
        description={t('wheel.fieldHint')}
        value={wheel.custom_field || null}
        data={data}
        onChange={(custom_field) =>
          editWheel((now) => ({ ...now, custom_field: custom_field ?? '' }))
        }
      />
      {wheel.custom_field && (
        <LineRow
          label={t('wheel.nothing')}
          value={wheel.losing_slice_val}
          onChange={(value) =>
            editWheel((now) => ({ ...now, losing_slice_val: value.slice(0, 100) }), 'losing')
          }
        />
      )}
    </>
  );
}
