import LatticeMetrics
import Testing

/// Checks that the table of metrics in the article is the table in the code.
@Suite struct MetricsTableTests {
    @Test("The article lists each metric with its type, unit and labels")
    func table() throws {
        let article = try Repository.text(of: "Sources/LatticeMetrics/LatticeMetrics.docc/LatticeMetrics.md")
        let rows = RuntimeMetrics.definitions.map { definition in
            let labels = definition.labels.isEmpty ? "" : "`\(definition.labels.joined(separator: "`, `"))` "
            return "| `\(definition.name)` | \(definition.kind) | \(definition.unit) | \(labels)|"
        }
        let shown = article.split(separator: "\n").filter { $0.contains(/^\| `.*` \| (counter|gauge|histogram) \|/) }
        #expect(shown.map(String.init) == rows)
        #expect(RuntimeMetrics.definitions.allSatisfy { $0.maximumSeries == 256 })
    }
}
