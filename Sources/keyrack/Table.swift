import KeyrackProtocol

/// Rows of cells, made fit for a terminal, each column as wide as its widest cell.
enum Table {
  static func lines(_ rows: [[String]]) -> [String] {
    let rows = rows.map { $0.map(\.printable) }
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      // The last column needs no spaces behind it.
      let cells = zip(row, widths).dropLast().map { $0.padded(to: $1) }
      return (cells + row.suffix(1)).joined(separator: "  ")
    }
  }

  static func text(_ rows: [[String]]) -> String { lines(rows).map { $0 + "\n" }.joined() }
}
