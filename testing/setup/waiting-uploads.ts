// Mocks the response that lists uploads whose import has not been started, for tests of the import
// screens.
import type { Mock } from 'vitest';

export function respondToUploads(fetchMock: Mock<typeof fetch>, uploads: () => Response): void {
  const originalFetch = fetchMock.getMockImplementation();
  fetchMock.mockImplementation(async (input, init) =>
    String(input).includes('/imports/uploads')
      ? uploads()
      : (originalFetch?.(input, init) as Promise<Response>),
  );
}
