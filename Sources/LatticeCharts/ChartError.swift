/// An error that explains why charts could not be drawn.
package struct ChartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The category of an error.
    package enum Code: String, Sendable {
        /// A file could not be read.
        case unreadableFile
        /// A file has no results of a benchmark.
        case unknownFormat
        /// A figure is not greater than 0.
        case invalidFigure
        /// Two rows have the same name.
        case duplicateRow
        /// No row has a figure for a chart.
        case noFigures
        /// A chart could not be written.
        case unwritableFile
    }

    /// The category of the error.
    package let code: Code
    /// A sentence that says what happened and what to do.
    package let description: String

    private init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Creates an error for a file that cannot be read.
    package static func unreadable(_ file: String, reason: String) -> ChartError {
        ChartError(
            .unreadableFile,
            "The file \"\(file)\" cannot be read: \(reason). Give the path of a result file."
        )
    }

    /// Creates an error for a file that cannot be written.
    package static func unwritable(_ file: String, reason: String) -> ChartError {
        ChartError(
            .unwritableFile,
            "The chart \"\(file)\" cannot be written: \(reason). Give another folder with --output."
        )
    }

    /// Creates an error for a file that has neither of the two formats.
    static func unknownFormat(_ file: String) -> ChartError {
        ChartError(
            .unknownFormat,
            "The file \"\(file)\" has no results of a benchmark. Write one with 'lattice-bench session --json', or"
                + " give a JSON object that has an object with figures for each row."
        )
    }

    /// Creates an error for a figure that is not greater than 0.
    static func invalidFigure(_ key: String, of row: String, in file: String) -> ChartError {
        ChartError(
            .invalidFigure,
            "The figure \(key) of the row \"\(row)\" in \"\(file)\" is not a number greater than 0. Measure this row"
                + " again."
        )
    }

    /// Creates an error for a row name that exists already.
    static func duplicateRow(_ row: String, in file: String) -> ChartError {
        ChartError(
            .duplicateRow,
            "The row \"\(row)\" in \"\(file)\" was already read. Give each file once, and rename a file that"
                + " has the name of another row."
        )
    }

    /// An error for results of which no chart can be drawn.
    package static let noFigures = ChartError(
        .noFigures,
        "The result files have no figures for a chart. Give results of 'lattice-bench session', 'lattice-bench"
            + " view-model' or 'lattice-bench actors', or rows with rtt_p50_us, throughput_per_s or fanout_per_s."
    )
}
