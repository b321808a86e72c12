// The report's map with numbered marks for the places of an answer.

class AnswerMap extends CityMap {
  /** Put numbers on points, each [latitude, longitude]; ``joined`` draws the way between them. */
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
    pen.font = '600 11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.lineWidth = 2;
    [...this.marks].map((xy, at) => [xy, at]).reverse().forEach(([xy, at]) => {
      const [x, y] = this.screen(xy);
      pen.fillStyle = colours.accent;
      pen.strokeStyle = colours.map;
      pen.beginPath();
      pen.arc(x, y, 10, 0, 7);
      pen.fill();
      pen.stroke();
      pen.fillStyle = colours.surface;
      pen.fillText(String(at + 1), x, y + 4);
    });
    pen.textAlign = 'start';
  }
}
