// Requests to the server, below the token that the page's own address has.

export class Refused extends Error {
  constructor(status) {
    super(`The server answered ${status}.`);
    this.status = status;
  }
}

async function ask(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Refused(response.status);
  return response.json();
}

export const get = path => ask(path);
export const remove = path => ask(path, {method: "DELETE"});
export const post = (path, body = {}) => ask(path, {
  method: "POST",
  headers: {"Content-Type": "application/json"},
  body: JSON.stringify(body),
});

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// The server's own drawings; they are parsed, not written into the page as text.
export function show(figure, svg) {
  const picture = figure.querySelector(".picture");
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  picture.replaceChildren(document.adoptNode(parsed));
}
