// Requests the findings of an email except those about its recipients, or only the errors among
// them.
import { api, resolveCall, type EmailRef, type EditorFinding } from './composing.ts';

export async function readFindings(email: EmailRef): Promise<EditorFinding[]> {
  const { data } = await api(resolveCall(email, 'GET /{base}/{id}/checks'), {
    params: { id: email.id },
  });
  return data.filter((row) => row.step !== 'recipients');
}

export async function readErrors(email: EmailRef): Promise<EditorFinding[]> {
  return (await readFindings(email)).filter((finding) => finding.severity === 'error');
}
