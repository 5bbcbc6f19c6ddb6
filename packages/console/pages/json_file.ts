/** Makes a download of a JSON text, byte for byte as it is. */
export const jsonFile = (name: string, text: string): Response =>
  new Response(text, {
    headers: {
      "content-type": "application/json",
      "content-disposition": `attachment; filename="${name}"`,
    },
  });
