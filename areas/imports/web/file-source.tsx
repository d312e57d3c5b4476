// A dropped or chosen file and the plan of its import, for every screen that imports a file.
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DropArea } from './drop-area.tsx';
import { ImportPlan } from './import-plan.tsx';
import { api, refreshUploadsIfFull } from './queries.ts';
import { useSource } from './use-source.ts';

export function FileSource() {
  const t = useTexts('imports');
  const source = useSource();
  const upload = useAction(
    (file: File) => {
      const form = new FormData();
      form.append('file', file);
      return api.upload('POST /client-api/api/subscribers/import_file', form);
    },
    { onDone: source.setUpload },
  );
  if (source.id !== '') {
    return (
      <ImportPlan
        id={source.id}
        missingNotice={{ title: t('file.gone'), label: t('plan.back.file') }}
        onBack={source.clear}
      />
    );
  }
  return (
    <DropArea
      isBusy={upload.isPending}
      onFile={(file) => upload.mutate(file, { onError: refreshUploadsIfFull })}
    />
  );
}
