// Facts about the file as a whole: its exporting service and the status of everyone in it.
import { Alert, Select } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ImportPreview } from '../contract.ts';
import { serviceNames } from '../service-names.ts';
import { FILE_STATUSES, type FileStatus } from '../shared.ts';
import { hasTarget, type MappingPlan } from './plan.ts';

export function RecognizedService({ preview }: { preview: ImportPreview }) {
  const t = useTexts('imports');
  if (preview.service === null) return null;
  return (
    <Alert
      mb="md"
      icon={<IconCheck size={18} stroke={1.75} />}
      title={t('service.known', { service: serviceNames[preview.service] })}
    >
      {t('service.knownHint')}
    </Alert>
  );
}

/** The status of everyone in the file; shown only if no column contains a status. */
export function FileStatusField(props: {
  plan: MappingPlan;
  onChange: (plan: MappingPlan) => void;
}) {
  const { plan, onChange } = props;
  const t = useTexts('imports');
  if (hasTarget(plan, 'email_status')) return null;
  return (
    <Select
      label={t('fileStatus.label')}
      description={t('fileStatus.hint')}
      value={plan.fileStatus ?? 'agreed'}
      allowDeselect={false}
      maw={560}
      mb="sm"
      data={[
        { value: 'agreed', label: t('fileStatus.agreed') },
        ...FILE_STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) })),
      ]}
      onChange={(value) =>
        value &&
        onChange({ ...plan, fileStatus: value === 'agreed' ? null : (value as FileStatus) })
      }
    />
  );
}
