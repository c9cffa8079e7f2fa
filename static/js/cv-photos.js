// Pictures of a CV become one PDF, a page each, in the order in which they were chosen: A4 at 150 dots an inch, as dense as
// the room allows. Read only when somebody chooses pictures.

const [SHORT, LONG] = [1240, 1754]; // of A4 in dots
const [WIDE, HIGH] = [595, 842]; // and in points

export class Unreadable extends Error {
  constructor(name) {
    super(name);
    this.name = name;
  }
}

// most: bytes that the PDF may have.
export async function asPdf(pictures, most) {
  const room = (most - 1000) / pictures.length - 1000;
  const pages = [];
  for (const picture of pictures) pages.push(await asPage(picture, room));
  const name = `${pictures[0].name.replace(/\.[^.]*$/, "") || "CV"}.pdf`;
  return new File([written(pages)], name, { type: "application/pdf" });
}

async function asPage(picture, room) {
  // Upright as it was taken: the browser turns it.
  const bitmap = await createImageBitmap(picture).catch(() => {
    throw new Unreadable(picture.name);
  });
  const isWide = bitmap.width > bitmap.height;
  const [width, height] = isWide ? [LONG, SHORT] : [SHORT, LONG];
  const canvas = document.createElement("canvas");
  for (let scale = Math.min(1, width / bitmap.width, height / bitmap.height); ; scale *= 0.8) {
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const paper = canvas.getContext("2d");
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    for (const quality of [0.85, 0.75, 0.65, 0.5, 0.4]) {
      const jpeg = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
      if (!jpeg) throw new Unreadable(picture.name);
      if (jpeg.size > room && canvas.width > 1) continue;
      bitmap.close();
      return { jpeg, width: canvas.width, height: canvas.height, isWide };
    }
  }
}

// Objects: 1 the catalogue, 2 the list of pages, and from 3 on each page with its drawing and its picture.
function written(pages) {
  const parts = ["%PDF-1.4\n"];
  const places = [];
  let at = parts[0].length;
  const write = (...more) => {
    parts.push(...more);
    for (const one of more) at += one.size ?? one.length;
  };
  const object = (...body) => {
    places.push(at);
    write(`${places.length} 0 obj\n`, ...body, "\nendobj\n");
  };
  object("<</Type/Catalog/Pages 2 0 R>>");
  object(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, n) => `${3 * n + 3} 0 R`).join(" ")}]>>`);
  for (const { jpeg, width, height, isWide } of pages) {
    const [wide, high] = isWide ? [HIGH, WIDE] : [WIDE, HIGH];
    const scale = Math.min(wide / width, high / height);
    const [w, h] = [width * scale, height * scale].map((n) => n.toFixed(2));
    const [x, y] = [(wide - w) / 2, (high - h) / 2].map((n) => n.toFixed(2));
    const drawing = `q ${w} 0 0 ${h} ${x} ${y} cm /P Do Q`;
    const own = places.length + 1;
    object(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${wide} ${high}]/Contents ${own + 1} 0 R`,
      `/Resources<</XObject<</P ${own + 2} 0 R>>>>>>`,
    );
    object(`<</Length ${drawing.length}>>stream\n${drawing}\nendstream`);
    object(
      `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`,
      `/Filter/DCTDecode/Length ${jpeg.size}>>stream\n`,
      jpeg,
      "\nendstream",
    );
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = places.length + 1;
  const start = at;
  write(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
  return new Blob(parts);
}
