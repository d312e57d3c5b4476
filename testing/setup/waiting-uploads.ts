// Mocks the server's response about uploads that wait to be started, for tests of the import
// screens.
import type { Mock } from 'vitest';

export function answerUploads(fetched: Mock<typeof fetch>, uploads: () => Response): void {
  const answer = fetched.getMockImplementation();
  fetched.mockImplementation(async (input, init) =>
    String(input).includes('/imports/uploads')
      ? uploads()
      : (answer?.(input, init) as Promise<Response>),
  );
}
