// All parts of the explorer, once they are there.
document.getElementById("explorer").hidden = false;
document.getElementById("try").hidden = false;
topicMap.start();
topicPanel.show();
if (state.find) search.run();
