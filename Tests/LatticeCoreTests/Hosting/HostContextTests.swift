import LatticeCore
import LatticeTestSupport
import Testing

@MainActor @Suite struct HostContextTests {
    enum Shared: HostDependencyKey {
        static var defaultValue: [Int] { [] }
    }

    enum Other: HostDependencyKey {
        static var defaultValue: [Int] { [1] }
    }

    @Test func dependenciesAreReplacedOneByOne() {
        var context = HostContext()
        #expect(context[Shared.self] == [])
        #expect(context[Other.self] == [1])
        context[Shared.self].append(2)
        #expect(context[Shared.self] == [2])
        #expect(context[Other.self] == [1])
        #expect(HostContext(dependencies: context.dependencies)[Shared.self] == [2])
        #expect(HostContext()[Shared.self] == [])
    }

    @Test func byDefaultAContextIsThatOfTheOnlyInstanceInItsFirstIncarnation() {
        let context = HostContext()
        #expect(context.instance == "")
        #expect(context.incarnation == 1)
        #expect(context.configuration(of: WordsFeature.self) == WordsFeature.defaultConfiguration)
    }

    @Test func aConfigurationOfAnotherTypeIsReported() {
        let context = HostContext(configuration: NoConfiguration())
        withKnownIssue {
            #expect(context.configuration(of: WordsFeature.self) == WordsFeature.defaultConfiguration)
        } matching: { issue in
            "\(issue)".contains(
                #"""
                "words" was configured with a NoConfiguration, but expects a Configuration. Its default configuration \#
                is used instead. Pass a configuration of that type.
                """#
            )
        }
    }

    @Test("A feature in this process knows its placement, starts before the first event, and keeps its index")
    func inProcess() async {
        var context = HostContext(instance: "i: ", configuration: WordsFeature.Configuration(separator: ","))
        context[WordsFeature.PrefixKey.self] = "found "
        let viewModel = ViewModel(inProcess: WordsFeature.self, in: context)
        #expect(viewModel.viewState.begun == 1)
        #expect(await WordsFeature.ask(viewModel) == WordsFeature.answers)
    }
}
