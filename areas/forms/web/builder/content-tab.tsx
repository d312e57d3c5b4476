// The form's content: blocks to add, the outline, the wheel's slices.
import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { useBlockActions } from './actions.ts';
import classes from './builder.module.css';
import { listBlocks, listFieldBlocks, readBlockText } from './draft.ts';
import { DraftIssues } from './draft-issue-list.tsx';
import {
  findFieldIcon,
  ICONS,
  findIcon,
  STEP_KINDS,
  SUCCESS_KINDS,
  useFieldChoices,
} from './kinds.ts';
import { DRAGGED } from './canvas-drops.ts';
import { toSide, useBuilder, useBuilderState, useDraft } from './store.ts';
import { WheelForm } from './wheel-form.tsx';

export function ContentTab() {
  const t = useTexts('forms-builder');
  const { type } = useBuilder();
  return (
    <>
      <DraftIssues />
      <FieldPart title={t('content.fields')}>
        <FieldTiles />
      </FieldPart>
      <FieldPart title={t('content.blocks')}>
        <BlockTiles kinds={STEP_KINDS} />
      </FieldPart>
      <FieldPart title={t('content.outline')}>
        <Outline />
      </FieldPart>
      {type === 'spinToWin' && <WheelForm />}
    </>
  );
}

function FieldTiles() {
  const t = useTexts('forms-builder');
  const { add } = useBlockActions();
  const { fields, query } = useFieldChoices();
  const { document } = useDraft();
  const usedFields = new Set(listFieldBlocks(document).map(({ field }) => field));
  if (query.isError && !query.data) {
    return <FailedState error={query.error} retry={query.refetch} />;
  }
  return (
    <>
      <div className={classes.tiles}>
        {fields.map(({ name, title, kinds }) => (
          <Tile
            key={name}
            item={`field:${name}`}
            label={title}
            icon={findFieldIcon(name, kinds[0] ?? 'text')}
            isUsed={usedFields.has(name)}
            onAdd={add}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed">
        {t('content.fieldsHint')}
      </Text>
    </>
  );
}

export function BlockTiles({ kinds }: { kinds: typeof STEP_KINDS | typeof SUCCESS_KINDS }) {
  const t = useTexts('forms-builder');
  const { add } = useBlockActions();
  return (
    <div className={classes.tiles}>
      {kinds.map((kind) => (
        <Tile key={kind} item={kind} label={t(`kinds.${kind}`)} icon={ICONS[kind]} onAdd={add} />
      ))}
    </div>
  );
}

/** A click inserts the block after the selection; a drag inserts it where it is dropped. */
function Tile({
  item,
  label,
  icon: Icon,
  isUsed = false,
  onAdd,
}: {
  item: string;
  label: string;
  icon: typeof IconArrowUp;
  isUsed?: boolean;
  onAdd: (tile: string) => void;
}) {
  return (
    <button
      type="button"
      className={classes.tile}
      disabled={isUsed}
      draggable={!isUsed}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, item)}
      onClick={() => onAdd(item)}
    >
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      <bdi>{label}</bdi>
    </button>
  );
}

/** The blocks in order; only this list shows hidden fields. */
export function Outline() {
  const t = useTexts('forms-builder');
  const builder = useBuilder();
  const actions = useBlockActions();
  const blocks = useBuilderState((state) => listBlocks(state.document.document, toSide(state)));
  if (blocks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('empty')}
      </Text>
    );
  }
  return (
    <ol className={classes.outline}>
      {blocks.map((block, at) => {
        const Icon = findIcon(block);
        const name = readBlockText(block)?.trim() || t(`kinds.${block.kind}`);
        return (
          <li key={block.id} className={classes.line}>
            <button
              type="button"
              className={classes.lineName}
              onClick={() => builder.select(block.id)}
            >
              <Icon size={16} stroke={1.75} aria-hidden="true" />
              <span>
                <bdi>{name}</bdi>
              </span>
            </button>
            <StepTool
              label={t('tools.upOf', { name })}
              icon={IconArrowUp}
              isOn={at > 0}
              onClick={() => actions.step(block.id, -1)}
            />
            <StepTool
              label={t('tools.downOf', { name })}
              icon={IconArrowDown}
              isOn={at < blocks.length - 1}
              onClick={() => actions.step(block.id, 1)}
            />
          </li>
        );
      })}
    </ol>
  );
}

function StepTool({
  label,
  icon: Icon,
  isOn,
  onClick,
}: {
  label: string;
  icon: typeof IconArrowUp;
  isOn: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        data-disabled={!isOn || undefined}
        aria-disabled={!isOn}
        onClick={() => isOn && onClick()}
      >
        <Icon size={16} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}
