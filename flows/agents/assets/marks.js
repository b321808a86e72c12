// Adds numbered markers for the places of an answer to the report's map.

class AnswerMap extends CityMap {
  /** Number the points, each [latitude, longitude]; if ``joined``, draw the route between them. */
  mark(points, joined = false) {
    this.marks = points.map(project);
    this.joined = joined;
    if (this.marks.length) this.fit(this.marks);
    else this.draw();
  }

  draw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => {
      paint(this);
      if (this.marks && this.canvas.clientWidth) this.paintMarks();
    });
  }

  paintMarks() {
    const { pen, colours } = this;
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 3;
    if (this.joined) {
      trace(this, this.marks);
      pen.stroke();
    }
    [...this.marks.entries()].reverse().forEach(([at, xy]) => paintPin(this, xy, at + 1, colours.accent));
  }
}
